// Shared objects: each has its own records, and all end up in one file.
// profrt: flags -fPIC
// profrt: variant main-and-one
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN -DONE
// profrt: object one.o
// profrt: shared libone.so one.o
// profrt: program main main.o libone.so
// profrt: run main; main 1
// profrt: variant three
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN -DTHREE
// profrt: object one.o -DNAME=one
// profrt: object two.o -DNAME=two
// profrt: object three.o -DNAME=three
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: shared libthree.so three.o
// profrt: program main main.o libone.so libtwo.so libthree.so
// profrt: variant three-ir-lld
// profrt: flags -fprofile-generate -fuse-ld=lld
// profrt: object main.o -DMAIN -DTHREE
// profrt: object one.o -DNAME=one
// profrt: object two.o -DNAME=two
// profrt: object three.o -DNAME=three
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: shared libthree.so three.o
// profrt: program main main.o libone.so libtwo.so libthree.so
// profrt: variant three-gold
// profrt: flags -fprofile-instr-generate -fuse-ld=gold
// profrt: object main.o -DMAIN -DTHREE
// profrt: object one.o -DNAME=one
// profrt: object two.o -DNAME=two
// profrt: object three.o -DNAME=three
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: shared libthree.so three.o
// profrt: program main main.o libone.so libtwo.so libthree.so
// profrt: variant plain-main
// profrt: cflags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN -DONE bare -fPIC
// profrt: object one.o
// profrt: shared libone.so one.o -fprofile-instr-generate
// profrt: program main main.o libone.so
// profrt: cov libone.so
// profrt: variant bsymbolic
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DMAIN -DONE
// profrt: object one.o
// profrt: shared libone.so one.o -Wl,-Bsymbolic -Wl,-z,defs
// profrt: program main main.o libone.so
// profrt: variant different-names
// profrt: object main.o -DMAIN -DONE -fprofile-instr-generate=main.profraw
// profrt: object one.o -fprofile-instr-generate=lib.profraw
// profrt: shared libone.so one.o -fprofile-instr-generate=lib.profraw
// profrt: program main main.o libone.so -fprofile-instr-generate=main.profraw
// profrt: variant nothing-exported
// profrt: flags -fprofile-generate
// profrt: object main.o -DMAIN -DONE
// profrt: object one.o
// profrt: shared libone.so one.o
// profrt: program main main.o libone.so
// profrt: run LLVM_PROFILE_FILE=a.profraw main
// profrt: run nm -D --defined-only $BIN/libone.so | cut -d' ' -f3 | LC_ALL=C sort > ../exported
// What LLVM 22 exports on purpose; the archive of its raw version serves clang 19 too.
// profrt: ours test -z "$(LC_ALL=C comm -13 ../../llvm/exported ../exported | grep -vx __llvm_write_custom_profile)"
// profrt: ours test -z "$(grep -v -E '^(one|__(start|stop)___llvm_prf_.*|__llvm_profile_filename|__llvm_write_custom_profile)$' ../exported)"
// profrt: run readelf -dW $BIN/libone.so | grep -E 'NEEDED|TEXTREL|FLAGS' | sed 's/.*(/(/'
// profrt: run readelf -lW $BIN/libone.so | grep -E 'GNU_STACK|TLS' | cut -c1-20,70-80
#include <stdio.h>

#ifndef NAME
#define NAME one
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

#ifdef MAIN
int one(int), two(int), three(int);
int main(int argc, char **argv) {
  (void)argv;
  int sum = one(argc);
#ifdef THREE
  sum += two(argc) + three(argc) + one(7);
#endif
  printf("%d\n", sum);
  return 0;
}
#else
static int same_in_all(int x) { return x > 5 ? x - 5 : x; }
int NAME(int x) {
  printf("%s\n", TEXT(NAME));
  return same_in_all(x) + same_in_all(2 * x);
}
#endif
