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
