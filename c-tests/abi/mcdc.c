// MC/DC: a bitmap for each decision; its section has a size that is no multiple of eight.
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: run main; main 1; main 1 2 3
// profrt: variant plain
// profrt: run LLVM_PROFILE_FILE=many.profraw main 1 2
// profrt: variant atomic
// profrt: flags -fprofile-update=atomic
// profrt: variant static
// profrt: lflags -static
// profrt: variant gc-lld
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
#include <stdio.h>

static int leap(int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }
static int range(int a, int b, int c) { return a < b && (b < c || c == 0) && a != 3; }
static int never(int a, int b) { return a || b; }

int main(int argc, char **argv) {
  int sum = 0;
  for (int y = 1896; y <= 2000; y += argc)
    sum += leap(y);
  for (int i = 0; i < 5; i++)
    sum += range(i, argc, i % 3);
  if (argc > 9)
    sum += never(argc, !argv);
  printf("%d\n", sum);
  return 0;
}
