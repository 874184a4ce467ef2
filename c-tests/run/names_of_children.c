// A file under another name than the one under which a run began is told by its time: what an earlier run has left goes, what a process of
// this run has written stays. (The times of files have ticks of a hundredth of a second at most.)
// profrt: only-ours: LLVM's runtime tells them one word for all names, so a child adds to what an earlier run has left
// profrt: flags -fprofile-instr-generate
// profrt: variant other-name
// profrt: run export LLVM_PROFILE_FILE=a.profraw; main; LLVM_PROFILE_FILE=b.profraw main; sleep 0.1; main 'LLVM_PROFILE_FILE=b.profraw main; LLVM_PROFILE_FILE=b.profraw main; main' && bash $SRC/counts.sh main=2 a.profraw && bash $SRC/counts.sh main=2 b.profraw
// profrt: variant back-again
// profrt: run export A="LLVM_PROFILE_FILE=$PWD/a.profraw" B=LLVM_PROFILE_FILE=b.profraw; env $A main; env $B main; sleep 0.1; env $A main 'env $B main "env $A main; env $B main"' && bash $SRC/counts.sh main=2 a.profraw && bash $SRC/counts.sh main=2 b.profraw
// profrt: variant other-directory
// profrt: run export LLVM_PROFILE_FILE=a.profraw; mkdir d; main; cd d; main; cd ..; sleep 0.1; main 'cd d; main; main' && bash $SRC/counts.sh main=1 a.profraw && bash $SRC/counts.sh main=2 d/a.profraw
// profrt: variant library
// profrt: object main.o bare -fprofile-instr-generate=main.profraw
// profrt: object lib.o bare -fPIC -DLIBRARY -fprofile-instr-generate=lib.profraw
// profrt: shared liblib.so lib.o
// profrt: program main main.o -Wl,--no-as-needed liblib.so
// profrt: run for i in 1 2 3; do main; sleep 0.1; done; bash $SRC/counts.sh main=1 main.profraw && bash $SRC/counts.sh lib=1 lib.profraw
// profrt: variant continuous
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run export LLVM_PROFILE_FILE=a%c.profraw; LLVM_PROFILE_FILE=b%c.profraw main; main; sleep 0.1; main 'LLVM_PROFILE_FILE=b%c.profraw main; main' && bash $SRC/counts.sh main=2 a*.profraw && bash $SRC/counts.sh main=1 b*.profraw
#ifdef LIBRARY
__attribute__((constructor)) void lib(void) {}
#else
#include <stdlib.h>

int main(int argc, char **argv) { return argc > 1 ? system(argv[1]) : 0; }
#endif
