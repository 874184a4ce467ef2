// Other users who may write in the profile's directory: what they put there gives them neither rights nor the victim's files.
// profrt: needs root setpriv: runs as two ordinary users
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: variant owner
// profrt: ours $SRC/hostile.sh owner
// profrt: variant owner-named-files
// profrt: clang 22..
// profrt: cflags -DNAMED
// profrt: lflags -static
// profrt: ours $SRC/hostile.sh owner
// profrt: variant users-unknown
// In a user namespace without a map all users look the same.
// profrt: needs root setpriv mount: runs as two ordinary users, one in a namespace
// profrt: ours $SRC/hostile.sh users_unknown
// profrt: variant links
// profrt: object main.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: LLVM's runtime has no profrt-continuous.o
// profrt: ours $SRC/hostile.sh links
// profrt: variant links-protected
// profrt: needs protected_symlinks: turns the kernel's protection on and off
// profrt: object main.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: LLVM's runtime has no profrt-continuous.o
// profrt: ours $SRC/hostile.sh protected
// profrt: variant links-without-proc
// Nobody tells what a link leads to: a plain profile is written into that file, a union of runs is not. Other names do.
// profrt: needs root mount unshare: hides /proc
// profrt: ours unshare -m bash -c 'mount -t tmpfs none /proc && $SRC/hostile.sh no_proc'
#include "../merge/interposed.h"

__attribute__((noinline)) int work(int x) { return x + 1; }
static int (*volatile function)(int) = work;
int main(int argc, char **argv) {
  (void)argv;
  return function(argc) + 5;
}
