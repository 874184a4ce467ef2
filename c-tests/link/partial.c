// Programs of which only a part is instrumented: one object, one member of an archive, a relocatable link, nothing.
// profrt: variant second-only
// profrt: flags -fprofile-instr-generate
// profrt: object one.o bare
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: variant archive
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: object three.o -DTHIRD
// profrt: archive libparts.a two.o three.o
// profrt: program main one.o libparts.a
// profrt: variant archive-ir-gc
// profrt: flags -fprofile-generate -ffunction-sections
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: object three.o -DTHIRD
// profrt: archive libparts.a two.o three.o
// profrt: program main one.o -Wl,--whole-archive libparts.a -Wl,--no-whole-archive -Wl,--gc-sections
// profrt: variant two-kinds
// profrt: object one.o -fprofile-instr-generate
// profrt: object two.o -DSECOND -fprofile-generate
// profrt: program main one.o two.o -fprofile-generate
// profrt: variant by-hand
// profrt: cflags -fprofile-instr-generate
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o -u__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a
// profrt: variant by-hand-without-u
// profrt: cflags -fprofile-instr-generate
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o {resources}/lib/linux/libclang_rt.profile-x86_64.a
// profrt: no-profile
// profrt: variant nothing
// profrt: clang 16..
// profrt: object one.o bare
// profrt: object two.o -DSECOND bare
// profrt: program main one.o two.o -fprofile-instr-generate
// profrt: variant nothing-14
// profrt: differs content, profile: a header, as later releases write, instead of an empty file; COMPATIBILITY: empty programs
// profrt: clang ..15
// profrt: object one.o bare
// profrt: object two.o -DSECOND bare
// profrt: program main one.o two.o -fprofile-instr-generate
// profrt: no-profile official
// profrt: variant nothing-static
// profrt: clang 16..
// profrt: object one.o bare
// profrt: object two.o -DSECOND bare
// profrt: program main one.o two.o -fprofile-instr-generate -static
#include <stdio.h>

int second(int x);

#if defined SECOND
int second(int x) { return x % 2 ? x : -x; }
#elif defined THIRD
int third(int x) { return x ? 3 : 0; }
#else
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < argc + 3; i++)
    sum += second(i);
  printf("%d\n", sum);
  return 0;
}
#endif
