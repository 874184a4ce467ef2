// Killed by SIGKILL: the file is whole and has every count, in every kind of instrumentation, in place and moved.
// profrt: object main.o language.c
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: variant moved-fe
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 in_child=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000 in_child 3
// profrt: variant moved-ir
// clang 14 itself crashes on this program.
// profrt: clang 16..
// profrt: differs header, sections, merge: the official archive leaves an unreadable file; COMPATIBILITY: %c
// profrt: skip files: the unreadable file is no profile
// profrt: flags -fprofile-generate -mllvm -runtime-counter-relocation
// profrt: ours LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill; bash $SRC/counts.sh a.profraw work 1000
// profrt: official LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill; ! $PROFDATA show a.profraw 2>/dev/null && rm a.profraw
// profrt: no-profile official
// profrt: variant moved-flag
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -fprofile-continuous -fcoverage-mapping
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-flag-default-name
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -fprofile-continuous
// profrt: run=137 main work=1000 kill
// profrt: run bash $SRC/counts.sh default.profraw work 1000
// profrt: variant moved-mcdc
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -fprofile-continuous -fcoverage-mapping -fcoverage-mcdc
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=9 both=110 both=010 both=001 kill
// profrt: run bash $SRC/counts.sh a.profraw work 9
// profrt: variant moved-static
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: lflags -static
// profrt: cflags -Wno-everything
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant fe
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 in_child=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000 in_child 3
// profrt: variant ir
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 values=10 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant atomic
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-generate -mllvm -instrprof-atomic-counter-update-all
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main threads=1000000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 4000000
// profrt: variant fe-bytes
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -mllvm -enable-single-byte-coverage=true
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1 in_child 0
// profrt: variant ir-bytes
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-generate -mllvm -pgo-block-coverage
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1 in_child 0
// profrt: variant mcdc
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=9 both=110 both=010 both=001 kill
// profrt: run main work=9 both=110 both=010 both=001
// profrt: run for f in a default; do $PROFDATA merge --text -o - $f.profraw | sed -n '/^both$/,/^$/p' >$f; done; grep Bitmap a; cmp a default && rm a default default.profraw
// profrt: variant temporal
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-generate -mllvm -pgo-temporal-instrumentation
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main in_child=1 work=3 kill
// profrt: run $PROFDATA order a.profraw | grep -A1 in_child | grep -q work
// profrt: variant moved-bytes
// profrt: clang 19..
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation -fcoverage-mapping -mllvm -enable-single-byte-coverage=true
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=3 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1 in_child 0
// profrt: variant moved-mcdc-without-bias
// The counters of clang 19 can be moved, its bitmaps cannot.
// profrt: clang 19
// profrt: only-ours: LLVM's file has no bitmaps
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation -fcoverage-mapping -fcoverage-mcdc
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main both=110 both=010 both=001 2>told; grep -q 'Warning: Continuous mode (%c) is not possible for MC/DC bitmaps' told && rm told
// profrt: run main both=110 both=010 both=001
// profrt: run for f in a default; do $PROFDATA merge --text -o - $f.profraw | sed -n '/^both$/,/^$/p' >$f; done; grep Bitmap a; cmp a default && rm a default default.profraw
// A child starts without the bits of its parent.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main both=110 fork both=010 parent wait 2>told; main both=010 && rm told
// profrt: run for f in a-1 default; do $PROFDATA merge --text -o - $f.profraw | sed -n '/^both$/,/^$/p' >$f; done; grep Bitmap a-1; cmp a-1 default && rm a-1 default a-1.profraw default.profraw
// profrt: variant mcdc-of-both-kinds
// Whole pages do for those bitmaps.
// profrt: clang 19..
// profrt: only-ours: LLVM's file has no bitmaps
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation -fcoverage-mapping -fcoverage-mcdc
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main both=110 both=010 both=001 kill
// profrt: run main both=110 both=010 both=001
// profrt: run for f in a default; do $PROFDATA merge --text -o - $f.profraw | sed -n '/^both$/,/^$/p' >$f; done; grep Bitmap a; cmp a default && rm a default default.profraw
// profrt: variant correlated
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -mllvm -profile-correlate=binary
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: profdata --binary-file={bin}/main
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=9 kill
// profrt: run $PROFDATA merge --text --binary-file=$BIN/main -o text a.profraw && grep -A8 '^work$' text | grep -q '^9$' && rm text
