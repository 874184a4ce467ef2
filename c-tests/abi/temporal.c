// Temporal profiles: the order in which functions were first called.
// profrt: clang 17..
// profrt: flags -fprofile-generate -mllvm -pgo-temporal-instrumentation
// profrt: variant plain
// profrt: variant coverage
// profrt: cflags -mllvm -pgo-function-entry-coverage
// profrt: not mapped merge: readers take eight bytes of coverage for a time, and what stands behind them is padding
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
#include <stdio.h>

__attribute__((noinline)) static int a(int x) { return x + 1; }
__attribute__((noinline)) static int b(int x) { return a(x) * 2; }
__attribute__((noinline)) static int c(int x) { return b(x) ^ a(x); }
__attribute__((noinline)) static int d(int x) { return x ? d(x - 1) + 1 : 0; }
__attribute__((noinline)) static int e(int x) { return x; }

int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d %d\n", d(4), c(3), argc > 5 ? e(1) : 0);
  return 0;
}
