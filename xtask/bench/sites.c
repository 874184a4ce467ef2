// What `cargo xtask bench` measures the hooks at many sites and beside many threads with; linked with generated functions, each
// of which has one site for call targets.
//
//     sites CASE CALLS THREADS HOT    prints the nanoseconds of CPU time of a call
//
// THREADS threads live, the main thread among them. HOT of them call the hook CALLS times, and the rest sleep. CASE is `turn-K` (K sites in turn, one target at each), `after-K` (the same, but the last thread has counted at
// all sites before), `zipf-K` (the k-th site 1/k as often as the first) or `own-K` (K sites in turn, no site by two hot threads).
//
// The hook is called with the functions' records, not by the functions: what else a call would cost, and how well a processor predicts
// it, is not to be seen.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS 4096
#define ORDER 16384
#define MOST_THREADS 512

void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);

// The generated functions, and their records.
void visit(void (*target)(void));
extern char __start___llvm_prf_data[], __stop___llvm_prf_data[];

static char *order[MOST_THREADS][ORDER];
static char *shared[ORDER];
static const char *kind;
static long calls, times[MOST_THREADS];
static int sites, threads, hot;
static pthread_barrier_t all, together;

static void target(void) {}

// Pseudo-random numbers below `below`.
static double drawn(unsigned *random, double below) {
  *random = *random * 1664525u + 1013904223u;
  return below * (*random >> 8) / (1 << 24);
}

// `first`: the number of the first site.
static void fill(char **to, int first) {
  size_t record = (__stop___llvm_prf_data - __start___llvm_prf_data) / FUNCTIONS;
  static double sums[FUNCTIONS];
  double sum = 0;
  for (int k = 0; k < sites; k++)
    sums[k] = sum += 1.0 / (k + 1);
  unsigned random = 1;
  for (int i = 0; i < ORDER; i++) {
    int k = i % sites;
    if (!strcmp(kind, "zipf")) {
      double at = drawn(&random, sum);
      for (k = 0; k < sites - 1 && sums[k] < at;)
        k++;
      // Frequent sites are not adjacent.
      k = k * 1597 % sites;
    }
    to[i] = __start___llvm_prf_data + record * ((first + k) % FUNCTIONS);
  }
}

// `count`: a multiple of ORDER.
__attribute__((noinline)) static void call(char **sites, long count) {
  // Clang leaves out direct calls of the hook in a loop.
  void (*hook)(uint64_t, void *, uint32_t) = __llvm_profile_instrument_target;
  __asm__("" : "+r"(hook));
  for (; count > 0; count -= ORDER)
    for (int i = 0; i < ORDER; i++)
      hook((uintptr_t)target, sites[i], 0);
}

static long work(int own) {
  char **sites = !strcmp(kind, "own") ? order[own] : shared;
  // What happens once at a site is not a call's cost.
  call(sites, ORDER);
  if (hot > 1)
    pthread_barrier_wait(&together);
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  call(sites, calls);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec;
}

static void take_part(int thread) {
  pthread_barrier_wait(&all);
  times[thread] = thread < hot ? work(thread) : 0;
  pthread_barrier_wait(&all);
}

static void *live(void *number) {
  if (!strcmp(kind, "after") && (int)(long)number == threads - 1) {
    // What is counted once may be anybody's.
    visit(target);
    visit(target);
  }
  take_part((int)(long)number);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  kind = strtok(argv[1], "-");
  sites = atoi(strtok(0, "-"));
  // Whole passes.
  calls = (atol(argv[2]) / ORDER + 1) * ORDER;
  threads = atoi(argv[3]);
  hot = atoi(argv[4]);
  if (sites > FUNCTIONS || threads > MOST_THREADS || hot > threads)
    return 2;
  fill(shared, 0);
  if (!strcmp(kind, "own"))
    for (int thread = 0; thread < hot; thread++)
      fill(order[thread], thread * sites);
  if (strcmp(kind, "after"))
    visit(target);
  pthread_barrier_init(&all, 0, threads);
  pthread_barrier_init(&together, 0, hot);
  pthread_t started[MOST_THREADS];
  for (long thread = 1; thread < threads; thread++)
    if (pthread_create(&started[thread], 0, live, (void *)thread))
      return 3;
  take_part(0);
  long time = 0;
  for (int thread = 0; thread < threads; thread++)
    time += times[thread];
  for (long thread = 1; thread < threads; thread++)
    pthread_join(started[thread], 0);
  printf("%f\n", (double)time / calls / hot);
  return 0;
}
