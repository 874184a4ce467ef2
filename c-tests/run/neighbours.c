// Objects of two releases that emit the same raw version, in one program.
// profrt: object one.o @14
// profrt: object two.o @16 -DSECOND
// profrt: program main one.o two.o
// profrt: variant raw-8-fe
// profrt: clang 16..17
// profrt: flags -fprofile-instr-generate
// profrt: variant raw-8-ir
// profrt: clang 16..17
// profrt: flags -fprofile-generate
#include <stdio.h>

int second(int x);
#ifdef SECOND
int second(int x) { return x > 2 ? x : 2; }
#else
int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", second(argc) + second(5));
  return 0;
}
#endif
