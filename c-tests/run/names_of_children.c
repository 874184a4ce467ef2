// A file under another name than the one under which a run began is told by its time: what an earlier run has left goes, what a process of
// this run has written stays. Where the times say little, nothing is lost.
// profrt: only-ours: LLVM's runtime tells them one word for all names, so a child adds to what an earlier run has left
// profrt: flags -fprofile-instr-generate
// profrt: variant other-name
// profrt: run export LLVM_PROFILE_FILE=a.profraw; main; LLVM_PROFILE_FILE=b.profraw main; touch -d '1 minute ago' *; main 'LLVM_PROFILE_FILE=b.profraw main; LLVM_PROFILE_FILE=b.profraw main; main' && bash $SRC/counts.sh main=2 a.profraw && bash $SRC/counts.sh main=2 b.profraw
// profrt: variant other-root
// Whatever the root's name is, and whether or not it has a file from before.
// profrt: run for a in a%m.profraw a%p.profraw a.profraw a%c.profraw; do for i in 1 2 3; do LLVM_PROFILE_FILE=$a main 'LLVM_PROFILE_FILE=b.profraw main; LLVM_PROFILE_FILE=b.profraw main' 2>told && bash $SRC/counts.sh main=2 b.profraw && touch -d '1 minute ago' * || exit; done; rm a* b.profraw told; done; main
// profrt: variant back-again
// profrt: run export A="LLVM_PROFILE_FILE=$PWD/a.profraw" B=LLVM_PROFILE_FILE=b.profraw; env $A main; env $B main; touch -d '1 minute ago' *; env $A main 'env $B main "env $A main; env $B main"' && bash $SRC/counts.sh main=2 a.profraw && bash $SRC/counts.sh main=2 b.profraw
// profrt: variant other-directory
// profrt: run export LLVM_PROFILE_FILE=a.profraw; mkdir d; main; cd d; main; cd ..; touch -d '1 minute ago' d/*; main 'cd d; main; main' && bash $SRC/counts.sh main=1 a.profraw && bash $SRC/counts.sh main=2 d/a.profraw
// profrt: variant whole-seconds
// As some file systems keep them, or the clock of a file server is late by a second.
// profrt: run export LLVM_PROFILE_FILE=a.profraw; for clock in 'date +%s' 'date -d 1second\ ago +%s.%N'; do export NOW="touch -d @\$($clock) b.profraw"; main 'LLVM_PROFILE_FILE=b.profraw main; eval "$NOW"; LLVM_PROFILE_FILE=b.profraw main' && bash $SRC/counts.sh main=2 b.profraw && rm b.profraw || exit; done
// profrt: variant whole-seconds-pid
// profrt: run (LLVM_PROFILE_FILE=x-%p.profraw exec main 'touch -d @$(date +%s) x-$PPID.profraw' write again) && bash $SRC/counts.sh main=2 x-*.profraw
// profrt: variant other-spelling
// It is the same file, also in quick succession.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a.profraw main "LLVM_PROFILE_FILE=$PWD/a.profraw main" && bash $SRC/counts.sh main=2 a.profraw || exit; done
// profrt: variant official-parent
// A program whose parent has LLVM's runtime tells its children nothing: when the run began, it does not know.
// profrt: object main.o
// profrt: object theirs.o bare -fprofile-instr-generate
// profrt: program main main.o
// profrt: program theirs theirs.o bare -u__llvm_profile_runtime {official}
// profrt: program mapped main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run export A=LLVM_PROFILE_FILE=a.profraw K=LLVM_PROFILE_FILE=k.profraw; env $A theirs "env $K main; touch -d '5 seconds ago' k.profraw; LLVM_PROFILE_FILE=m%c.profraw mapped 'env \$K main'" && bash $SRC/counts.sh main=2 k.profraw
// profrt: variant number-used-again
// profrt: needs root: makes a namespace of process numbers
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main 'for i in 1 2 3; do unshare -p -f main; done' && bash $SRC/counts.sh main=3 x-1.profraw
// profrt: variant library
// profrt: object main.o bare -fprofile-instr-generate=main.profraw
// profrt: object lib.o bare -fPIC -DLIBRARY -fprofile-instr-generate=lib.profraw
// profrt: shared liblib.so lib.o
// profrt: program main main.o -Wl,--no-as-needed liblib.so
// profrt: run for i in 1 2 3; do main; touch -d '1 minute ago' *; done; bash $SRC/counts.sh main=1 main.profraw && bash $SRC/counts.sh lib=1 lib.profraw
// profrt: variant library-of-children
// profrt: object main.o bare -fprofile-instr-generate=main%m.profraw
// profrt: object lib.o bare -fPIC -DLIBRARY -fprofile-instr-generate=lib.profraw
// profrt: shared liblib.so lib.o
// profrt: program main main.o -Wl,--no-as-needed liblib.so
// profrt: run for i in 1 2 3; do main 'main; main'; bash $SRC/counts.sh lib=3 lib.profraw || exit; touch -d '1 minute ago' *; done
// profrt: variant continuous
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run export LLVM_PROFILE_FILE=a%c.profraw; LLVM_PROFILE_FILE=b%c.profraw main; main; touch -d '1 minute ago' *; main 'LLVM_PROFILE_FILE=b%c.profraw main; main' && bash $SRC/counts.sh main=2 a*.profraw && bash $SRC/counts.sh main=1 b*.profraw
// profrt: variant continuous-children
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a.profraw main 'LLVM_PROFILE_FILE=b%c.profraw main "main & main & wait"' && bash $SRC/counts.sh main=3 b*.profraw && touch -d '1 minute ago' * || exit; done
#ifdef LIBRARY
__attribute__((constructor)) void lib(void) {}
#else
#include <stdlib.h>
#include <unistd.h>

int __llvm_profile_write_file(void) __attribute__((weak));

int main(int argc, char **argv) {
  if (argc > 2 && __llvm_profile_write_file())
    return 1;
  int status = argc > 1 ? system(argv[1]) : 0;
  if (argc > 3)
    execlp("main", "main", (char *)0);
  return status;
}
#endif
