// Link-time optimisation, by the lld of the same release.
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: lflags -fuse-ld=lld
// profrt: variant full-fe
// profrt: flags -flto=full -fprofile-instr-generate -fcoverage-mapping
// profrt: variant thin-fe
// profrt: flags -flto=thin -fprofile-instr-generate -fcoverage-mapping
// profrt: variant full-ir
// profrt: flags -flto=full -fprofile-generate
// profrt: variant thin-ir
// profrt: flags -flto=thin -fprofile-generate
// profrt: variant thin-static
// profrt: flags -flto=thin -fprofile-instr-generate
// profrt: lflags -static
// profrt: variant full-gc
// profrt: flags -flto=full -fprofile-generate -ffunction-sections -O2
// profrt: lflags -Wl,--gc-sections -Wl,--icf=all
#include <stdio.h>
#include <string.h>

int second(int (*f)(int), int x);

#ifdef SECOND
int second(int (*f)(int), int x) { return x % 3 ? f(x) : f(x + 1); }
#else
static int square(int x) { return x * x; }
static int cube(int x) { return x * square(x); }
static int (*volatile table[])(int) = {square, cube};
int main(int argc, char **argv) {
  int sum = 0;
  char copy[32];
  for (int i = 0; i < 10 * argc; i++)
    sum += second(table[i & 1], i);
  memcpy(copy, "profile profile profile profile", (size_t)(argc * 9));
  printf("%d %c %d\n", sum, copy[2], !!argv);
  return 0;
}
#endif
