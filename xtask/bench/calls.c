// What `cargo xtask bench` measures the hooks with: one site, called in a loop, by one or more threads.
//
//     calls CASE CALLS THREADS     prints the nanoseconds of CPU time of all threads, and the calls
//
// CASE is `target-K` (K targets in turn), `zipf-K` (the k-th target 1/k as often as the first), `size-K` (memory sizes 1 to K
// in turn; `size-1` is one size of 8 bytes). What is called has no counters of its own: the hook is all there is to see.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

// At a place of their own (`--section-start`): what values cost depends a little on their low bits, and must not change with what else
// is linked.
#define F(n) PLAIN __attribute__((section("called"))) static int f##n(int x) { return x + n; }
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8)
#define P8(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, f##p##6, f##p##7
static int (*targets[64])(int) = {P8(1), P8(2), P8(3), P8(4), P8(5), P8(6), P8(7), P8(8)};

// What is called, in turn.
#define ORDER 4096
static unsigned short order[ORDER];
static long calls;
static int sizes;
static volatile unsigned sink;
static char from[4096];
static pthread_barrier_t together;

__attribute__((noinline)) static void call_targets(void) {
  unsigned sum = 0;
  for (long i = 0; i < calls; i++)
    sum += targets[order[i % ORDER]]((int)i);
  sink = sum;
}

__attribute__((noinline)) static void copy_sizes(char *to) {
  for (long i = 0; i < calls; i++)
    memcpy(to, from, order[i % ORDER]);
}

PLAIN static void *work(void *others) {
  if (others)
    pthread_barrier_wait(&together);
  static _Thread_local char to[4096];
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  if (sizes)
    copy_sizes(to);
  else
    call_targets();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (void *)((end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec);
}

PLAIN static void fill(const char *kind, int number) {
  sizes = !strncmp(kind, "size-", 5);
  double sum = 0;
  for (int k = 1; k <= number; k++)
    sum += 1.0 / k;
  unsigned random = 1;
  for (int i = 0; i < ORDER; i++) {
    if (sizes) {
      order[i] = number == 1 ? 8 : (unsigned short)(i % number + 1);
    } else if (strncmp(kind, "zipf-", 5)) {
      order[i] = (unsigned short)(i % number);
    } else {
      random = random * 1664525u + 1013904223u;
      double left = sum * (random >> 8) / (1 << 24);
      int k = 1;
      while (k < number && (left -= 1.0 / k) > 0)
        k++;
      order[i] = (unsigned short)(k - 1);
    }
  }
}

PLAIN int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  fill(argv[1], atoi(strchr(argv[1], '-') + 1));
  calls = atol(argv[2]);
  int threads = atoi(argv[3]);
  long time = 0;
  if (threads == 1) {
    time = (long)work(0);
  } else {
    pthread_t started[64];
    void *took;
    pthread_barrier_init(&together, 0, threads);
    for (int i = 0; i < threads; i++)
      pthread_create(&started[i], 0, work, &together);
    for (int i = 0; i < threads; i++) {
      pthread_join(started[i], &took);
      time += (long)took;
    }
  }
  printf("%ld %ld\n", time, calls * threads);
  return 0;
}
