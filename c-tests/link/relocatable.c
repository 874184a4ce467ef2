// Objects that were linked together before: ld -r keeps groups and sections, or merges them.
// profrt: not mapped all: the object is linked in already, with the relocatable one
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: cov main
// profrt: variant bfd
// profrt: program both bare one.o two.o -r -nostdlib
// profrt: program main both
// profrt: variant lld
// profrt: program both bare one.o two.o -r -nostdlib -fuse-ld=lld
// profrt: program main both -fuse-ld=lld
// profrt: variant gold
// profrt: program both bare one.o two.o -r -nostdlib -fuse-ld=gold
// profrt: program main both -fuse-ld=gold
#include <stdio.h>

int second(int x);

#ifdef SECOND
int second(int x) { return x % 3 ? x : -x; }
#else
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < argc + 5; i++)
    sum += second(i);
  printf("%d\n", sum);
  return 0;
}
#endif
