// Eight threads at sites that they share, and more values than there are nodes reserved: every count arrives, at its value.
// LLVM's runtime loses a part of them.
// profrt: flags -fprofile-generate -w -pthread
// profrt: only-ours: LLVM's runtime loses counts
// profrt: variant plain
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 40 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 40
// profrt: variant scarce
// profrt: cflags -mllvm -vp-counters-per-site=0.1
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 40 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 40
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 40 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 40
// profrt: variant crowd
// profrt: run LLVM_PROFILE_FILE=x.profraw main 300 2 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 300 2
// profrt: variant fresh
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run for i in $(seq 20); do LLVM_PROFILE_FILE=x.profraw main 8 1 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 1 || exit 1; done
// profrt: variant thread-sanitizer
// profrt: cflags -fsanitize=thread -fprofile-update=atomic
// profrt: lflags -fsanitize=thread
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 10 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 10
// profrt: variant address-sanitizer
// profrt: cflags -fsanitize=address
// profrt: lflags -fsanitize=address
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 10 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 10
// profrt: variant static
// profrt: lflags -static
// profrt: run LLVM_PROFILE_FILE=x.profraw main 8 40 && $PROFDATA show --all-functions --ic-targets x.profraw | $SRC/exact.sh 8 40
#include <pthread.h>
#include <stdlib.h>

#define PLAIN __attribute__((no_profile_instrument_function))
#define F(n) int t##n(int x) { return x + n; }
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2)
#define P8(p) t##p##0, t##p##1, t##p##2, t##p##3, t##p##4, t##p##5, t##p##6, t##p##7
static int (*volatile targets[16])(int) = {P8(1), P8(2)};

// 160 functions with a site each, at which 16 values are seen.
#define S(n) __attribute__((noinline)) int site##n(int (*t)(int)) { return t(n) + n; }
#define S10(p) S(p##0) S(p##1) S(p##2) S(p##3) S(p##4) S(p##5) S(p##6) S(p##7) S(p##8) S(p##9)
#define N10(p) site##p##0, site##p##1, site##p##2, site##p##3, site##p##4, site##p##5, site##p##6, site##p##7, site##p##8, site##p##9
S10(1) S10(2) S10(3) S10(4) S10(5) S10(6) S10(7) S10(8) S10(9) S10(10) S10(11) S10(12) S10(13) S10(14) S10(15) S10(16)
static int (*const sites[])(int (*)(int)) = {N10(1), N10(2),  N10(3),  N10(4),  N10(5),  N10(6),  N10(7),  N10(8),
                                             N10(9), N10(10), N10(11), N10(12), N10(13), N10(14), N10(15), N10(16)};

static int rounds;
static _Thread_local volatile int sink;
static pthread_barrier_t together;

// Every thread sees each value at each site `rounds` times, value k at site s another k + s % 3 times.
PLAIN static void *work(void *first) {
  pthread_barrier_wait(&together);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < 16; i++)
      for (int s = 0; s < 160; s++) {
        int k = (i + (int)(long)first) % 16;
        for (int again = 0; again <= k + s % 3; again++)
          sink = sites[s](targets[k]);
      }
  return 0;
}

PLAIN int main(int argc, char **argv) {
  int threads = atoi(argv[1]);
  rounds = atoi(argv[2]);
  pthread_t started[512];
  pthread_barrier_init(&together, 0, threads);
  for (long i = 0; i < threads; i++)
    pthread_create(&started[i], 0, work, (void *)i);
  for (int i = 0; i < threads; i++)
    pthread_join(started[i], 0);
  return 0;
}
