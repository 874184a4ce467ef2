// Killed before and after each system call: under the name is no file, the old one or the complete new one, and beside it at most the second
// name that a new file has while it takes the old one's place, which the next write removes.
// profrt: only-ours: LLVM's runtime writes in place
// profrt: no-profile
// profrt: clang 22..
// profrt: object killer.o killer.c bare
// profrt: program killer killer.o bare
// profrt: object main.o
// profrt: program main main.o
// profrt: flags -fprofile-instr-generate
// The calls of the dynamic loader are no places of interest.
// profrt: lflags -static
// profrt: variant start
// The first process of a run.
// profrt: run $SRC/second_name.sh start
// profrt: variant child
// A child appends to what its run has written.
// profrt: run $SRC/second_name.sh child
// profrt: variant pool
// profrt: run $SRC/second_name.sh pool
// profrt: variant start-named-files
// The same without files that have no name.
// profrt: cflags -DNAMED
// profrt: run $SRC/second_name.sh start
// profrt: variant child-named-files
// profrt: cflags -DNAMED
// profrt: run $SRC/second_name.sh child
// profrt: variant pool-named-files
// profrt: cflags -DNAMED
// profrt: run $SRC/second_name.sh pool
// profrt: variant left
// What a killed writer has left goes, and nothing that only looks so.
// profrt: run $SRC/second_name.sh left
// profrt: variant left-named-files
// profrt: cflags -DNAMED
// profrt: run $SRC/second_name.sh left
// profrt: variant sandbox
// Files may be made, and neither renamed nor removed: no second name stays, which readers of the directory would count.
// profrt: run main; export LLVM_PROFILE_FILE=p/%m.profraw; main; main sandbox 2>told; test $? = 2 && { rm -r p told default.profraw; exit; }; bash $SRC/counts.sh work=2 $(find p -type f) && main && bash $SRC/counts.sh work=3 $(find p -type f) && test -z "$(find p -name '.*' -type f)" && rm -r p told default.profraw
#include "../merge/interposed.h"
#include <stdint.h>
#include <sys/prctl.h>

__attribute__((noinline)) int work(int x) { return x > 0; }

int main(int argc, char **argv) {
  if (argc > 1) {
    uint64_t handled = 1 << 5;
    int rules = syscall(444, &handled, sizeof(handled), 0);
    // Before Linux 5.13 there is nothing to be tried.
    if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(446, rules, 0))
      _exit(2);
  }
  return work(argc) - 1;
}
