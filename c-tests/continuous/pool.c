// %c with %m: each file is one process's at a time, what is there is taken over, and nothing is lost.
// profrt: only-ours: LLVM's processes add to one page at once, and lose counts
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: cflags -w
// profrt: flags -fprofile-instr-generate
// profrt: variant runs-in-turn
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 kill 2>/dev/null; done; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*_0.profraw' work 30
// profrt: variant at-once
// profrt: run for i in $(seq 40); do LLVM_PROFILE_FILE=%c%m.profraw main work=10000 & done; wait; test $(ls | wc -l) -le 40 && bash $SRC/counts.sh '*.profraw' work 400000
// profrt: run for i in $(seq 40); do LLVM_PROFILE_FILE=%c%4m.profraw main work=10000 & done; wait; bash $SRC/counts.sh '*.profraw' work 800000
// profrt: variant at-once-and-killed
// profrt: run for i in $(seq 40); do LLVM_PROFILE_FILE=%c%m.profraw main work=10000 kill & done 2>/dev/null; wait 2>/dev/null; bash $SRC/counts.sh '*.profraw' work 400000
// profrt: variant bytes
// profrt: clang 19..
// profrt: flags -fcoverage-mapping -mllvm -enable-single-byte-coverage=true
// profrt: run LLVM_PROFILE_FILE=%c%m.profraw main work=1; LLVM_PROFILE_FILE=%c%m.profraw main in_child=1; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 1 in_child 1 thrice 0
// profrt: variant mcdc
// profrt: clang 19..
// profrt: flags -fcoverage-mapping -fcoverage-mcdc
// profrt: run for b in 110 010 001; do LLVM_PROFILE_FILE=%c%m.profraw main both=$b; done; test $(ls | wc -l) = 1 && main both=110 both=010 both=001
// profrt: run for f in default *_0; do $PROFDATA merge --text -o - $f.profraw | sed -n '/Bitmap/,/^$/p' | sed -n '2,$p' >$f; done; cmp default *_0 && test -s default && rm default default.profraw *_0
// profrt: variant joins-plain
// What a run without %c has left in the pool's file is taken over too.
// profrt: run LLVM_PROFILE_FILE=%m.profraw main work=10; LLVM_PROFILE_FILE=%c%m.profraw main work=100 kill 2>/dev/null; bash $SRC/counts.sh '*.profraw' work 110
// profrt: variant damaged
// profrt: run LLVM_PROFILE_FILE=%c%m.profraw main work=10; f=$(ls); head -c 300 $f >x; mv x $f; LLVM_PROFILE_FILE=%c%m.profraw main work=20 2>told; grep -q "Warning: \".*$f\" is damaged and now called \".*$f.corrupt-[0-9]*\"" told && ls | grep -q corrupt && bash $SRC/counts.sh $f work 20 && rm told *corrupt*
// profrt: variant other
// Another program's file stays what it is.
// profrt: run LLVM_PROFILE_FILE=other.profraw other work=10; cp other.profraw copy; LLVM_PROFILE_FILE=%c%m.profraw main work=20; f=$(ls *_0.profraw); cp other.profraw $f; LLVM_PROFILE_FILE=%c%m.profraw main work=30; cmp copy $f && bash $SRC/counts.sh '*_1.profraw' work 30 && rm copy other.profraw
// profrt: object other.o language.c -DLIBRARIES -Done=twice -Dtwo=thrice
// profrt: object main.o language.c
// profrt: program other other.o -ldl -lpthread
// profrt: variant values
// Values of another process are not added to yet: a file for each run, and nothing is lost.
// profrt: object irmain.o bare language.c -fprofile-generate -w
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10; done; bash $SRC/counts.sh '*.profraw' work 30 && bash $SRC/values.sh '*.profraw' '5:30 thrice:15 twice:15'
