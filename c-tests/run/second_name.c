// Killed before and after each system call: under the name is no file, the old one or the complete new one, and beside it at most the second
// name that a new file has while it takes the old one's place, which the next write removes.
// profrt: only-ours: LLVM's runtime writes in place
// profrt: no-profile
// profrt: clang 22..
// profrt: object killer.o killer.c bare
// profrt: program killer killer.o bare
// profrt: object main.o
// profrt: program main main.o
// profrt: flags -fprofile-instr-generate -fno-pie
// profrt: lflags -no-pie
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
#include "../merge/interposed.h"

__attribute__((noinline)) int work(int x) { return x > 1 ? x : 1; }
int main(int argc, char **argv) { return work(argc) - 1; }
