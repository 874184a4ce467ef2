// What a counter is and where it counts: bytes instead of words, entries only, entries first, conditional updates.
// profrt: variant entry-coverage
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: variant block-coverage
// profrt: clang 17..
// profrt: flags -fprofile-generate -mllvm -pgo-block-coverage
// profrt: variant fe-bytes
// profrt: clang 19..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -mllvm -enable-single-byte-coverage=true
// profrt: variant entry-first
// profrt: flags -fprofile-generate -mllvm -pgo-instrument-entry
// profrt: variant loop-entries
// profrt: clang 20..
// profrt: flags -fprofile-generate -mllvm -pgo-instrument-loop-entries
// profrt: variant conditional
// profrt: clang 20..
// profrt: flags -fprofile-generate -mllvm -conditional-counter-update
// profrt: variant sampled
// profrt: clang 20..
// profrt: flags -fprofile-generate -mllvm -sampled-instrumentation -mllvm -sampled-instr-burst-duration=3 -mllvm -sampled-instr-period=7
// profrt: variant atomic-ir
// profrt: flags -fprofile-generate -fprofile-update=atomic
// profrt: variant atomic-fe
// profrt: flags -fprofile-instr-generate -fprofile-update=atomic
// profrt: variant plain-names
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -mllvm -enable-name-compression=false
// profrt: variant no-static-alloc
// profrt: flags -fprofile-generate -mllvm -vp-static-alloc=false
// profrt: variant o0
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -O0
// profrt: variant os
// profrt: flags -fprofile-generate -Os
// profrt: variant o3
// profrt: flags -fprofile-generate -O3
#include <stdio.h>

__attribute__((noinline)) static int once(int x) { return x + 1; }
__attribute__((noinline)) static int loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      if ((i ^ j) & 2)
        sum += j;
      else if (j > 5)
        sum -= i;
  return sum;
}
__attribute__((noinline)) static int cold(int x) { return x > 3 ? x : -x; }
__attribute__((noinline)) static int five(int x) { return x * 5; }

int main(int argc, char **argv) {
  (void)argv;
  int sum = once(argc);
  for (int i = 0; i < 9; i++)
    sum += loop(i) + five(i);
  if (argc > 3)
    sum += cold(argc);
  printf("%d\n", sum);
  return 0;
}
