// Continuous mode and a stream of the program: each count goes to one of them.
// profrt: object main.o language.c
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: variant merged
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c.profraw main merge_into=s.profraw work=1; done
// profrt: run bash $SRC/counts.sh s.profraw work 3 && bash $SRC/counts.sh a.profraw work 0
// profrt: variant pool
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c%m.profraw main merge_into=s.profraw work=1; done
// profrt: run bash $SRC/counts.sh s.profraw work 3 && bash $SRC/counts.sh 'a*.profraw' work 0
// profrt: variant counts-before
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c%m.profraw main work=10 merge_into=s.profraw work=1; done
// profrt: run bash $SRC/counts.sh s.profraw work 3 && bash $SRC/counts.sh 'a*.profraw' work 30
// profrt: variant writes
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: skip profile: the files have paddings of their own, and functions that are running are counted on either side; see the lines below
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c%m.profraw main work=10 write merge_into=s.profraw work=1 write work=1; done
// profrt: run bash $SRC/counts.sh s.profraw work 6 && bash $SRC/counts.sh 'a*.profraw' work 30
// profrt: skip stderr: a note needs LLVM_PROFILE_VERBOSE
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
// profrt: variant ours
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's runtime crashes at a null stream, and its children count into their parent's file
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main merge_into= write_into= work=1; bash $SRC/counts.sh a.profraw work 1 && rm a.profraw
// Back to the file, which holds what was counted before.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw work=1 merge_into= work=10 kill; bash $SRC/counts.sh '*.profraw' work 111 && bash $SRC/counts.sh a.profraw work 111 && rm *.profraw
// Another stream, another name, a reset.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw work=1 merge_into=t.profraw work=10; bash $SRC/counts.sh '*.profraw' work 111 && bash $SRC/counts.sh a.profraw work 100 && rm *.profraw
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw work=1 set=b%c.profraw work=10; bash $SRC/counts.sh '*.profraw' work 111 && bash $SRC/counts.sh a.profraw work 100 && rm *.profraw
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw work=1 reset work=10; bash $SRC/counts.sh '*.profraw' work 110 && bash $SRC/counts.sh a.profraw work 100 && rm *.profraw
// The mode can begin again after a reset, though its first file was removed.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw remove=a.profraw work=1 reset work=10 merge_into= work=1000 kill 2>told; test ! -s told && bash $SRC/counts.sh a.profraw work 1010 && rm told *.profraw
// Children begin with no counts.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=100 merge_into=s.profraw work=1 fork work=10 parent wait; bash $SRC/counts.sh '*.profraw' work 111 && bash $SRC/counts.sh a.profraw work 100
// profrt: variant values
// profrt: only-ours: LLVM's continuous mode has no values
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c%m.profraw main values=10 work=10 merge_into=s.profraw values=4 work=1; done
// profrt: run bash $SRC/counts.sh s.profraw work 3 && bash $SRC/counts.sh 'a*.profraw' work 30
// profrt: run bash $SRC/values.sh s.profraw '5:12 thrice:6 twice:6' && bash $SRC/values.sh 'a*.profraw' '5:30 thrice:15 twice:15'
