// A sandbox or a file system that refuses one way of making a file, and allows another: the profile is written, and nothing is left
// beside it.
// profrt: needs strace: makes system calls fail
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: variant calls
// profrt: clang 22..
// profrt: ours $SRC/sandbox.sh
// profrt: variant no-unnamed-files
// profrt: clang 22..
// profrt: cflags -DREFUSED=EACCES
// profrt: ours $SRC/sandbox.sh
// profrt: variant only-profiles
// Nothing but names that end in `.profraw`.
// profrt: clang 22..
// profrt: cflags -DREFUSED=EACCES -DONLY_PROFILES
// profrt: ours $SRC/sandbox.sh only-profiles
// profrt: variant by-proc
// profrt: clang 22..
// profrt: cflags -DBY_PROC
// profrt: ours for name in x.profraw %m.profraw; do LLVM_PROFILE_FILE=$name main 2>err; test $? = 7 && test ! -s err && rm err && bash $SRC/counts.sh work=1 *.profraw && rm *.profraw || exit; done
// profrt: variant continuous
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// The file has its name before it has its content.
// profrt: clang 22..
// profrt: object main.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for name in x%c.profraw x%m%c.profraw; do for e in EACCES EXDEV EPERM; do LLVM_PROFILE_FILE=$name strace -qq -o /dev/null -e inject=linkat:error=$e main dump 2>err; test $? = 7 && test ! -s err && bash $SRC/counts.sh work=3 *.profraw && rm *.profraw || { cat err; exit 1; }; done; done
// profrt: variant claimed
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// The new file of continuous mode is not ours by now: it is left as it is, and never mapped.
// profrt: clang 22..
// profrt: object main.o -DNAMED -DFILLED
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run LLVM_PROFILE_FILE=x%c.profraw main dump 2>err; test $? = 7 && grep -q 'Continuous mode (%c) has failed' err && grep -qx 'what is no profile' x.profraw
#include "../merge/interposed.h"

__attribute__((noinline)) int work(int x) { return x + 1; }
static int (*volatile function)(int) = work;
int __llvm_profile_write_file(void);
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    for (int i = 0; i < 2; i++) {
      function(i);
      __llvm_profile_write_file();
    }
  return function(1) + 5;
}
