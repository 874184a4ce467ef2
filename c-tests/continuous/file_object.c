// Continuous mode and a stream of the program: it is refused, and each count is in the file.
// profrt: object main.o language.c
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: variant not-merged
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// A stream that is not merged into is refused.
// profrt: run for i in 1 2; do LLVM_PROFILE_FILE=a%c.profraw main work=10 write_into=s work=1 enabled; test -e s -a ! -s s && rm s; done
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 11
// profrt: differs stderr: the warning is told in other words; COMPATIBILITY: messages
// profrt: variant not-merged-pool
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run for i in 1 2; do LLVM_PROFILE_FILE=a%c%m.profraw main work=10 write_into=s work=1 enabled; test -e s -a ! -s s && rm s; done
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 22
// profrt: differs stderr: the warning is told in other words; COMPATIBILITY: messages
// profrt: variant pipe
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 merge_into=/dev/stdout work=1 | cat
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 11
// profrt: differs stderr: the reason is told in other words; COMPATIBILITY: messages
// profrt: variant foreign
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// A file that is no profile, or one of another program, stays as it is.
// profrt: run echo text >s; cp s copy; LLVM_PROFILE_FILE=a%c%m.profraw main work=10 merge_into=s work=1 && cmp s copy && rm s copy
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 11
// profrt: differs stderr: the reason is told in other words; COMPATIBILITY: messages
