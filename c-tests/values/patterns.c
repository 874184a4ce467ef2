// Sites that are full: which values stay and with which counts is the same, node by node, for many orders of arrival.
// profrt: flags -fprofile-generate -w
// profrt: variant uniform
// profrt: run main uniform 64 6400
// profrt: variant just-full
// profrt: run main uniform 24 240; LLVM_PROFILE_FILE=more.profraw main uniform 25 2500
// profrt: variant late
// profrt: run main late 64 6400
// profrt: variant two-late
// profrt: run main two-late 64 6400
// profrt: variant zipf
// profrt: run main zipf 64 20000
// profrt: variant sawtooth
// profrt: run main sawtooth 64 6400
// profrt: variant bursts
// profrt: run main bursts 64 6400
// profrt: variant growing
// profrt: run main growing 64 6400
// profrt: variant once
// profrt: run main uniform 64 64
// profrt: variant returning
// profrt: run main returning 64 6400
// profrt: variant random
// profrt: run main random 64 20000
// profrt: variant limits
// profrt: run for n in 1 2 3 8 23 24 25 63 64 65; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main zipf 64 5000; done
// profrt: variant limits-late
// profrt: run for n in 1 2 3 8 40; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main late 64 3200; done
// profrt: variant limits-beyond
// profrt: run for n in 254 255 256 1000; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main uniform 64 640; done
// profrt: variant no-static-alloc
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run for n in zipf sawtooth random; do LLVM_PROFILE_FILE=$n.profraw main $n 64 6400; done
#include <stdlib.h>
#include <string.h>

#define F(n) static int f##n(int x) { return x + n; }
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8)
#define P8(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, f##p##6, f##p##7
static int (*targets[64])(int) = {P8(1), P8(2), P8(3), P8(4), P8(5), P8(6), P8(7), P8(8)};

static unsigned seed = 1;
static unsigned any(unsigned below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

static int pick(const char *pattern, int i, int k, int n) {
  if (!strcmp(pattern, "uniform"))
    return i % k;
  if (!strcmp(pattern, "late"))
    return i < n / 4 ? i % (k - 1) : k - 1;
  if (!strcmp(pattern, "two-late"))
    return i < n / 4 ? i % (k - 2) : k - 1 - (i & 1);
  if (!strcmp(pattern, "zipf"))
    return any(any(any(k) + 1) + 1);
  if (!strcmp(pattern, "sawtooth"))
    return i / k & 1 ? k - 1 - i % k : i % k;
  if (!strcmp(pattern, "bursts"))
    return i / 50 % k;
  if (!strcmp(pattern, "growing"))
    return i % (1 + i * k / n);
  if (!strcmp(pattern, "returning"))
    return i % 3 ? any(k) : 5;
  return any(k);
}

__attribute__((noinline)) static int work(const char *pattern, int k, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += targets[pick(pattern, i, k, n)](i);
  return sum;
}

static volatile int sink;
int main(int argc, char **argv) {
  sink = work(argv[1], atoi(argv[2]), atoi(argv[3]));
  return 0;
}
