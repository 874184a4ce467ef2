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
// profrt: variant mcdc-not-mapped
// The counters of clang 19 can be moved, its bitmaps cannot: they are written at exit, with those of earlier runs.
// profrt: clang 19
// profrt: flags -fcoverage-mapping -fcoverage-mcdc -mllvm -runtime-counter-relocation
// profrt: program main main.o -ldl -lpthread
// profrt: run for b in 110 010 001; do LLVM_PROFILE_FILE=%c%m.profraw main both=$b 2>/dev/null; done; test $(ls | wc -l) = 1 && main both=110 both=010 both=001
// profrt: run for f in default *_0; do $PROFDATA merge --text -o - $f.profraw | sed -n '/Bitmap/,/^$/p' | sed -n '2,$p' >$f; done; cmp default *_0 && test -s default && rm default default.profraw *_0
// profrt: variant other-user
// profrt: needs root setpriv: changes users
// Where the pool's file is another user's, the next one is taken, and survives a kill.
// profrt: run mkdir d && chmod 777 d && export LLVM_PROFILE_FILE=$PWD/d/%c%m.profraw && main work=10 && for i in 1 2; do setpriv --reuid=65534 --regid=65534 --clear-groups main work=100 kill 2>told; grep -q 'Warning: ".*_0.profraw" is not used: Permission denied' told || exit; done; test $(ls d | wc -l) = 2 && bash $SRC/counts.sh 'd/*_0.profraw' work 10 && bash $SRC/counts.sh 'd/*_1.profraw' work 200 && mv d/* . && rm -r d told
// profrt: variant joins-plain
// What a run without %c has left in the pool's file is taken over too.
// profrt: run LLVM_PROFILE_FILE=%m.profraw main work=10; LLVM_PROFILE_FILE=%c%m.profraw main work=100 kill 2>/dev/null; bash $SRC/counts.sh '*.profraw' work 110
// profrt: variant other
// Another program's file stays what it is.
// profrt: run LLVM_PROFILE_FILE=other.profraw other work=10; cp other.profraw copy; LLVM_PROFILE_FILE=%c%m.profraw main work=20; f=$(ls *_0.profraw); cp other.profraw $f; LLVM_PROFILE_FILE=%c%m.profraw main work=30; cmp copy $f && bash $SRC/counts.sh '*_1.profraw' work 30 && rm copy other.profraw
// profrt: object other.o language.c -DLIBRARIES -Done=twice -Dtwo=thrice
// profrt: object main.o language.c
// profrt: program other other.o -ldl -lpthread
// profrt: variant damaged
// So does a damaged one.
// profrt: run LLVM_PROFILE_FILE=%c%m.profraw main work=10; f=$(ls); head -c 300 $f >x; cp x $f; LLVM_PROFILE_FILE=%c%m.profraw main work=20 kill 2>told; test $(wc -l <told) = 1 && grep -q "Warning: .*$f" told && cmp x $f && mv x $f ../ && bash $SRC/counts.sh '*.profraw' work 20 && rm told ../x ../$f
// profrt: variant empty
// profrt: run LLVM_PROFILE_FILE=%c%m.profraw main work=10; f=$(ls); : >$f; LLVM_PROFILE_FILE=%c%m.profraw main work=20 2>told; test ! -s told && rm told && test $(ls | wc -l) = 1 && bash $SRC/counts.sh $f work 20
// profrt: variant reset
// What stands in the file of a pool stays, for it is that of other runs too. Two files are enough, however often.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10; LLVM_PROFILE_FILE=%c%m.profraw main work=1 reset work=2 reset work=3 reset work=4 kill 2>/dev/null; done; test $(ls | wc -l) = 2 && bash $SRC/counts.sh '*.profraw' work 60
// profrt: variant reset-ir
// profrt: object irmain.o bare language.c -fprofile-generate -w
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10; LLVM_PROFILE_FILE=%c%m.profraw main values=2 write reset values=4 reset values=6 work=2; done; test $(ls | wc -l) = 2 && bash $SRC/counts.sh '*.profraw' work 36 && bash $SRC/values.sh '*.profraw' '5:66 thrice:33 twice:33'
// profrt: variant fork-reset
// A child that begins with no counts leaves those of earlier children and runs as they are.
// profrt: run for i in 1 2; do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=%c%m.profraw main work=10 fork work=100 parent wait fork work=1000 kill parent wait work=1; done; test $(ls | wc -l) = 2 && bash $SRC/counts.sh '*.profraw' work 2222
// profrt: variant same-name-again
// (Without %c.) A private pool file, in place of one that could not be written, stays ours when the program names the same pool again.
// profrt: run LLVM_PROFILE_FILE=%m.profraw main work=1 && f=$(ls) && rm $f && mkdir $f && LLVM_PROFILE_FILE=%m.profraw main work=10 write set=%m.profraw "system=rmdir $f" work=20 2>told; rm told && test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 30
// profrt: variant reset-by-another-user
// profrt: needs root: changes users
// A reset that may create no file, not even look at its own: counters go on where they are.
// profrt: run mkdir -m 700 d && mkdir -m 777 e && LLVM_PROFILE_FILE=$PWD/d/%c%m.profraw main work=30 && LLVM_PROFILE_FILE=$PWD/d/%c%m.profraw main work=10 user=65534 reset work=25 2>told; grep -q 'Counters were not reset' told && bash $SRC/counts.sh 'd/*' work 65 && mv d/* . && rm -r told d e
// profrt: variant values
// Those of earlier runs are taken over: addresses are moved to where the program is now, and each value is there once.
// profrt: object irmain.o bare language.c -fprofile-generate -w -fPIE
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -pie -ldl -lpthread
// profrt: run for i in $(seq 10); do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10; done; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 100 && bash $SRC/values.sh '*.profraw' '5:100 thrice:50 twice:50'
// Killed with and without a write behind the values; the next run goes on with what is there.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10 write values=10 kill 2>/dev/null; done; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 130 && bash $SRC/values.sh '*.profraw' '5:130 thrice:65 twice:65'
// Without %c, and after that with it.
// profrt: run LLVM_PROFILE_FILE=%m.profraw main work=10 values=10; LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10 write; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 150 && bash $SRC/values.sh '*.profraw' '5:150 thrice:75 twice:75'
// profrt: variant values-not-reset
// profrt: needs root setpriv: changes users
// A reset that may create no file leaves the values, too.
// profrt: object irmain.o bare language.c -fprofile-generate -w -fPIE
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -pie -ldl -lpthread
// profrt: run mkdir d && chown 65534 d && export LLVM_PROFILE_FILE=$PWD/d/%c%m.profraw && other="setpriv --reuid=65534 --regid=65534 --clear-groups" && $other main work=1 values=10 && $other main values=2 'system=chmod 555 d' reset 'system=chmod 755 d' values=4 work=1 2>told; grep -q 'Counters were not reset' told && bash $SRC/counts.sh 'd/*' work 2 && bash $SRC/values.sh 'd/*' '5:16 thrice:8 twice:8' && mv d/* . && rm -r told d
// profrt: variant values-at-once
// profrt: object irmain.o bare language.c -fprofile-generate -w -fPIE
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -pie -ldl -lpthread
// profrt: run for n in 1 2; do for i in $(seq 20); do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10 & done; wait; done; test $(ls | wc -l) -le 20 && bash $SRC/counts.sh '*.profraw' work 400 && bash $SRC/values.sh '*.profraw' '5:400 thrice:200 twice:200'
// profrt: variant values-moved
// The same where the compiler moves the counters.
// profrt: clang 16..
// profrt: object irmain.o bare language.c -fprofile-generate -mllvm -runtime-counter-relocation -w -fPIE
// profrt: program main irmain.o -pie -ldl -lpthread
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%c%m.profraw main work=10 values=10 write values=2; done; test $(ls | wc -l) = 1 && bash $SRC/counts.sh '*.profraw' work 30 && bash $SRC/values.sh '*.profraw' '5:36 thrice:18 twice:18'
// profrt: variant temporal
// The earliest order of first calls stays.
// profrt: clang 19..
// profrt: object irmain.o bare language.c -fprofile-generate -mllvm -pgo-temporal-instrumentation -w
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=%c%m.profraw main in_child=1 work=3; LLVM_PROFILE_FILE=%c%m.profraw main both=110 work=3 kill 2>/dev/null; test $(ls | wc -l) = 1 && $PROFDATA order *.profraw | grep -A9 in_child | grep -q work && bash $SRC/counts.sh '*.profraw' work 6 in_child 1
