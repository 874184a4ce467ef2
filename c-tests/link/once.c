// GNU ld and gold look into an archive once. What stands behind it counts another kind of values than what stands before, and finds the
// call for that kind linked already.
// profrt: flags -fprofile-generate
// profrt: archive far.a far.o
// profrt: variant target-first-bfd
// profrt: object near.o -DMAIN -DCALL
// profrt: object far.o -DCOPY
// profrt: program main bare near.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a far.a -fuse-ld=bfd
// profrt: variant target-first-gold
// profrt: object near.o -DMAIN -DCALL
// profrt: object far.o -DCOPY
// profrt: program main bare near.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a far.a -fuse-ld=gold
// profrt: variant memop-first
// profrt: object near.o -DMAIN -DCOPY
// profrt: object far.o -DCALL
// profrt: program main bare near.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a far.a -fuse-ld=bfd
// What no archive brings any more is taken from the compiler's own, where its calls and our writer would not know of each other: refused.
// profrt: variant mixed
// profrt: object near.o -DMAIN -DCALL -DCOPY
// profrt: program main near.o
// profrt: run main
// profrt: ours cd ..; F="-O1 -fprofile-generate -fuse-ld=bfd"; $CLANG $F -DMAIN -c $SRC/once.c -o near.o; $CLANG $F -DCALL -DCOPY -c $SRC/once.c -o far.o; ! $CLANG $F near.o $RESOURCES/lib/linux/libclang_rt.profile-x86_64.a far.o -o mixed 2> said && grep -q 'multiple definition of .__llvm_profile_set_num_value_sites' said
#include <stdio.h>
#include <string.h>

int call(int x);
void copy(int size);

#ifdef CALL
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};
int call(int x) { return table[x % 3 == 0](x); }
#endif

#ifdef COPY
static char from[16], to[16];
void copy(int size) {
  memcpy(to, from, size);
  __asm__ volatile("" : : "r"(to) : "memory");
}
#endif

#ifdef MAIN
int main(void) {
  int sum = 0;
  for (int i = 0; i < 50; i++) {
    sum += call(i);
    copy(i % 5);
  }
  printf("%d\n", sum);
  return 0;
}
#endif
