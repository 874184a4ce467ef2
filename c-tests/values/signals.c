// A signal handler that makes instrumented calls itself, while the interrupted code is in the profiler as often as not: it ends,
// and as long as there is one thread, every count arrives.
// profrt: flags -fprofile-generate -w -pthread
// profrt: only-ours: LLVM's runtime loses counts
// profrt: variant alarm
// profrt: run LLVM_PROFILE_FILE=x.profraw main 1 > counted && $PROFDATA show --all-functions --ic-targets x.profraw | awk -f $SRC/sum.awk - counted && rm counted
// profrt: variant alarm-allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run LLVM_PROFILE_FILE=x.profraw main 1 > counted && $PROFDATA show --all-functions --ic-targets x.profraw | awk -f $SRC/sum.awk - counted && rm counted
// profrt: variant alarm-full
// profrt: run LLVM_PROFILE_FILE=x.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=3 timeout 20 main 1
// profrt: variant threads
// profrt: run LLVM_PROFILE_FILE=x.profraw timeout 20 main 4 > counted && $PROFDATA show --all-functions --ic-targets x.profraw | awk -f $SRC/sum.awk - counted && rm counted
// profrt: variant threads-full
// profrt: run LLVM_PROFILE_FILE=x.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=3 timeout 20 main 4
#include "six.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define PLAIN __attribute__((no_profile_instrument_function))

static volatile int sink;
static unsigned long calls[8], handled;
static volatile int next;

#define S(n) __attribute__((noinline)) static int site##n(int i) { return ops[i % 6](i); }
S(0) S(1) S(2) S(3)
static int (*const sites[])(int) = {site0, site1, site2, site3};

PLAIN static void handler(int signal) {
  for (int i = 0; i < 12; i++)
    sink = sites[i % 4](__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) & 0xffff);
  __atomic_fetch_add(&handled, 12, __ATOMIC_RELAXED);
}

PLAIN static void *work(void *which) {
  unsigned long n = 0;
  for (; __atomic_load_n(&handled, __ATOMIC_RELAXED) < 6000; n++)
    sink = sites[n / 6 & 3](n % 6);
  calls[(long)which] = n;
  return 0;
}

PLAIN int main(int argc, char **argv) {
  int threads = atoi(argv[1]);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct itimerval often = {{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &often, 0);
  pthread_t started[8];
  for (long i = 1; i < threads; i++)
    pthread_create(&started[i], 0, work, (void *)i);
  work(0);
  for (int i = 1; i < threads; i++)
    pthread_join(started[i], 0);
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, 0);
  unsigned long sum = handled;
  for (int i = 0; i < threads; i++)
    sum += calls[i];
  printf("%lu\n", sum);
  return 0;
}
