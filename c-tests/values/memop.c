// Sizes of memory operations: every bucket and both its ends, through each function that has sites.
// profrt: flags -fprofile-generate
// profrt: variant each-bucket
// profrt: run main 0 1 2 3 4 5 6 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 255 256 257 511 512 513 514 1023 1024 4096
// profrt: variant every-size
// profrt: run main $(seq 0 1100)
// profrt: variant large
// profrt: run main $(for p in 13 14 15 16 17 18 19 20; do echo $((1 << p)) $(((1 << p) - 1)); done)
// profrt: variant full
// profrt: run for n in 1 4 8 21 22; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main $(seq 0 700); done
// profrt: variant few-pairs
// profrt: flags -O2 -mllvm -vp-counters-per-site=30
// profrt: run main 3 3 3 700 3 16 16 3
// profrt: variant runtime-arrays
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run main $(seq 0 70) 3 3 3 17
#include <stdlib.h>
#include <string.h>

char from[1 << 20], to[1 << 20];

__attribute__((noinline)) static void copy(size_t n) { memcpy(to, from, n); }
__attribute__((noinline)) static void move(size_t n) { memmove(to + 1, to, n - !!n); }
__attribute__((noinline)) static void fill(size_t n) { memset(to, 7, n); }
__attribute__((noinline)) static int compare(size_t n) { return memcmp(to, from, n); }
__attribute__((noinline)) static int equal(size_t n) { return bcmp(to, from, n) == 0; }
__attribute__((noinline)) static void both(size_t n) {
  memcpy(to, from, n);
  memset(from, 1, n / 2);
}

static volatile int sink;
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    size_t n = atoi(argv[i]);
    copy(n);
    move(n);
    fill(n);
    sink = compare(n);
    sink = equal(n);
    both(n);
  }
  return 0;
}
