// What programs ask of the mode, beside the official archive where that can do it.
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: variant enabled
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: differs stderr, header, sections: counters have pages of their own in the file; a note needs LLVM_PROFILE_VERBOSE; COMPATIBILITY: %c
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main enabled name work=3 write enabled disable enabled work=4 enable enabled
// profrt: run bash $SRC/counts.sh a.profraw work 7
// profrt: variant enabled-by-calls
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: run LLVM_PROFILE_FILE=a.profraw main enabled enable enabled page=4096 enabled page=0 enabled disable enabled
// profrt: variant old-archives
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: clang ..16
// profrt: object main.o language.c
// profrt: differs stderr, header, sections: counters have pages of their own in the file; a note needs LLVM_PROFILE_VERBOSE; COMPATIBILITY: %c
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main enabled name work=3 write enabled enable enabled
// profrt: run bash $SRC/counts.sh a.profraw work 3
// profrt: variant not-possible
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate
// profrt: differs stdout, stderr, files, profile: LLVM's runtime loses the profile; COMPATIBILITY: %c calls
// profrt: no-profile official
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 enabled
// profrt: ours bash $SRC/counts.sh a.profraw work 3
// profrt: official rm a.profraw
// profrt: variant enable-late
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's file stays empty
// profrt: run=137 LLVM_PROFILE_FILE=a.profraw main work=3 enable page=4096 initialize work=4 kill
// profrt: run bash $SRC/counts.sh a.profraw work 7
// profrt: variant page-size
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's file stays empty
// profrt: run=137 LLVM_PROFILE_FILE=a.profraw main work=3 enable page=65536 initialize work=4 enabled kill
// profrt: run bash $SRC/counts.sh a.profraw work 7 && test $(stat -c %s a.profraw) -gt 131072
// profrt: variant reset
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: a reset has no effect on LLVM's file
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=3 reset work=4 kill
// profrt: run bash $SRC/counts.sh a.profraw work 4
// profrt: variant reset-ir
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: a reset has no effect on LLVM's file
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main values=6 write work=3 reset work=4 kill
// profrt: run bash $SRC/counts.sh a.profraw work 4 && bash $SRC/values.sh a.profraw '5:0 thrice:0 twice:0'
// profrt: variant buffer
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's buffer has zeros
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 buffer=b.profraw work=4
// profrt: run bash $SRC/counts.sh a.profraw work 7 && bash $SRC/counts.sh b.profraw work 3
// profrt: variant buffer-in-place
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 buffer=b.profraw work=4
// profrt: run bash $SRC/counts.sh a.profraw work 7 && bash $SRC/counts.sh b.profraw work 3
// profrt: variant dump
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM warns and writes
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 dump work=4
// profrt: run bash $SRC/counts.sh a.profraw work 7
// profrt: variant values
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: LLVM's file is unreadable
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 values=10
// profrt: run=137 LLVM_PROFILE_FILE=b%c.profraw main values=4 write values=6 work=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 3 && bash $SRC/values.sh a.profraw '5:10 thrice:5 twice:5'
// profrt: run bash $SRC/counts.sh b.profraw work 3 && bash $SRC/values.sh b.profraw '5:4 thrice:2 twice:2'
// profrt: variant set-filename-later
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM maps nothing that late
// profrt: run=137 main work=3 set=b%c.profraw work=4 kill
// profrt: run bash $SRC/counts.sh b.profraw work 7 && test $(ls | wc -l) = 1
// profrt: variant chdir
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run mkdir d; LLVM_PROFILE_FILE=a%c.profraw main work=3 chdir=d write work=4 name
// profrt: run rmdir d && bash $SRC/counts.sh a.profraw work 7
// profrt: variant removed
// profrt: clang 19..
// profrt: object main.o language.c -DCAN_DISABLE
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's file stays removed
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 remove=a.profraw work=4
// profrt: run bash $SRC/counts.sh a.profraw work 7
