// Each run has other values at a site, more in all than a site takes from one program: those of earlier runs are not turned away.
// profrt: only-ours: LLVM's file is unreadable
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for i in 0 20 40 0 20; do LLVM_PROFILE_FILE=%c%m.profraw main $i; done; $PROFDATA show --all-functions --ic-targets *.profraw > shown; test $(ls *.profraw | wc -l) = 1 && test $(grep -c '\[ .* f[0-9]*, *2 ' shown) = 40 && test $(grep -c '\[ .* f[0-9]*, *1 ' shown) = 20 && rm shown
#include <stdlib.h>

#define ONE(n) int f##n(int x) { return x + n; }
#define NAME(n) f##n,
#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define ALL(M) TEN(M, 1) TEN(M, 2) TEN(M, 3) TEN(M, 4) TEN(M, 5) TEN(M, 6)
ALL(ONE)
static int (*volatile all[])(int) = {ALL(NAME)};

__attribute__((noinline)) static int call(int n) { return all[n](n); }

int main(int argc, char **argv) {
  int first = atoi(argv[1]), sum = 0;
  for (int n = 0; n < 20; n++)
    sum += call(first + n);
  return sum == 0;
}
