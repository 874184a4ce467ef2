// Counts of loops, branches and calls, in each form of the file that `-coverage-version` selects, and the sum of two runs.
// profrt: no-profile
// profrt: flags --coverage
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main && main 1 && main 1 2; bash $SRC/show.sh
// profrt: variant default
// profrt: variant 4.2
// profrt: cflags -Xclang -coverage-version=402*
// profrt: variant 4.7
// profrt: cflags -Xclang -coverage-version=407*
// profrt: variant 4.8
// profrt: cflags -Xclang -coverage-version=408*
// profrt: variant 8
// profrt: cflags -Xclang -coverage-version=A80*
// profrt: variant 9
// profrt: cflags -Xclang -coverage-version=A93*
// profrt: variant 12
// profrt: cflags -Xclang -coverage-version=B23*
// profrt: variant optimized
// profrt: cflags -O2
// profrt: variant atomic
// profrt: cflags -fprofile-update=atomic
// profrt: variant arcs-only
// profrt: cflags -fno-test-coverage
#include <stdio.h>
#include <string.h>

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int classify(int n) {
  switch (n % 5) {
  case 0: return 1;
  case 1: return 2;
  case 2:
  case 3: return 3;
  default: break;
  }
  if (n > 100 || (n & 1 && n > 50))
    return 4;
  return 5;
}

int never(int n) { return n ? never(n - 1) : 0; }

int main(int argc, char **argv) {
  long sum = 0;
  for (int i = 0; i < 200; i++)
    sum += classify(i);
  do
    sum += fibonacci(10 + argc);
  while (--argc > 0);
  printf("%ld\n", sum);
  goto end;
end:
  return sum == 0;
}
