// Killed before and behind every system call, those of a write that merges among them: the file holds the old sum or the new one,
// and the next run adds to it.
// profrt: no-profile
// profrt: object main.o
// profrt: object killer.o ../run/killer.c bare
// profrt: program main main.o
// profrt: program killer killer.o bare
// profrt: flags -w -fno-pie
// profrt: variant counters
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: ours $SRC/fire.sh main
// profrt: official ! $SRC/fire.sh main > /dev/null 2>&1 && rm -rf *
// profrt: variant values
// profrt: clang ..16
// profrt: flags -fprofile-generate
// profrt: lflags -static
// profrt: ours $SRC/fire.sh main
// profrt: official ! $SRC/fire.sh main > /dev/null 2>&1 && rm -rf *
// profrt: variant bytes
// profrt: clang 19
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: lflags -static
// profrt: ours SAME=1 $SRC/fire.sh main
// profrt: variant named-files
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -DNAMED
// profrt: lflags -static
// profrt: ours NAMED=1 $SRC/fire.sh main
// profrt: variant streamed
// Counters are read while the sum is written.
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -DBIG=70000
// profrt: lflags -static
// profrt: ours $SRC/fire.sh main
// profrt: variant streamed-named-files
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -DBIG=70000 -DNAMED
// profrt: lflags -static
// profrt: ours NAMED=1 $SRC/fire.sh main
#include "interposed.h"
#ifdef BIG
#include "big.h"
#endif

__attribute__((noinline)) static int one(int x) { return x + 1; }
static int (*volatile function)(int) = one;

int main(int argc, char **argv) { return function(argc) - 2; }
