// Several writes of a process into one file, and what comes between them: each count is in it once. Each write appends a profile with what was
// counted since the last one.
// profrt: only-ours: LLVM's runtime counts a second write again
// profrt: no-profile
// profrt: clang 22..
// profrt: object main.o ../continuous/language.c
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: flags -fprofile-instr-generate
// profrt: variant alone
// profrt: run main work=5 write work=6 write write work=7; $SRC/profiles.sh 4 work=18 default.profraw
// profrt: variant stream
// What can only be written to gets the same.
// profrt: run LLVM_PROFILE_FILE=/dev/stderr main work=5 write work=6 write write work=7 2> x; $SRC/profiles.sh 4 work=18 x
// profrt: run mkfifo p && exec 5<>p && LLVM_PROFILE_FILE=p main work=5 write work=6 write write work=7; timeout 1 cat <&5 > x; rm p; $SRC/profiles.sh 4 work=18 x
// profrt: variant sibling
// profrt: run main work=5 write 'system=main work=100' work=6; $SRC/profiles.sh 3 work=111 default.profraw
// profrt: run main work=5 write 'system=main work=100' work=6 write work=7 write work=8; $SRC/profiles.sh 5 work=126 default.profraw
// profrt: run main work=5 write 'system=main work=100' work=6 write 'system=main work=1000' work=7 write work=8; $SRC/profiles.sh 6 work=1126 default.profraw
// profrt: variant forked
// A child writes in between, with its parent's counts and without.
// profrt: run main work=5 write fork work=100 parent wait work=6; bash $SRC/counts.sh work=116 default.profraw && rm default.profraw
// profrt: run export LLVM_PROFILE_FORK=reset; main work=5 write fork work=100 write work=100 parent wait work=6; $SRC/profiles.sh 4 work=211 default.profraw
// profrt: variant reset
// What was written before stays.
// profrt: run main work=5 write reset work=6; bash $SRC/counts.sh work=11 default.profraw && rm default.profraw
// profrt: run main work=5 write 'system=main work=100' reset work=6 write work=7; bash $SRC/counts.sh work=118 default.profraw && rm default.profraw
// profrt: variant new-name
// The new file has all counts.
// profrt: run main work=5 write set=b.profraw work=6 write work=7; $SRC/profiles.sh 1 work=5 default.profraw && $SRC/profiles.sh 2 work=18 b.profraw
// profrt: variant removed
// So has one in place of a file that somebody has removed, or moved. What the removed file had may be gone where another process has made a file anew.
// profrt: run main work=5 write remove=default.profraw work=6; $SRC/profiles.sh 1 work=11 default.profraw
// profrt: run main work=5 write 'system=mv default.profraw moved' work=6; $SRC/profiles.sh 1 work=11 default.profraw && $SRC/profiles.sh 1 work=5 moved
// profrt: run main work=5 write remove=default.profraw 'system=main work=100' work=6 write work=7; bash $SRC/counts.sh work=113..118 default.profraw && rm default.profraw
// profrt: run main reset work=5 write remove=default.profraw 'system=main work=100' work=6 write work=7 write work=1; bash $SRC/counts.sh work=114..119 default.profraw && rm default.profraw
// profrt: variant moved-and-made-anew
// What another process at the same addresses has written to a new file of the name is not ours.
// profrt: lflags -no-pie -ldl -lpthread
// profrt: run LLVM_PROFILE_FORK=reset main work=3 write 'system=mv default.profraw moved' fork work=9 parent wait work=5; $SRC/profiles.sh 2 work=17 default.profraw && $SRC/profiles.sh 1 work=3 moved
// profrt: run main work=3 write 'system=mv default.profraw moved; main work=2' work=5; $SRC/profiles.sh 2 work=10 default.profraw && $SRC/profiles.sh 1 work=3 moved
// profrt: variant pool
// The same in a file that adds up, where values count as counters do.
// profrt: object main.o bare ../continuous/language.c -w -fprofile-generate
// profrt: program main main.o -ldl -lpthread
// profrt: run export LLVM_PROFILE_FILE=%m; main work=5 values=10 write work=6 values=4 write write values=2; main values=4 write work=2; bash $SRC/counts.sh work=13 *_0 && bash $SRC/../continuous/values.sh '*_0' '5:20 thrice:10 twice:10' && rm *_0
// profrt: run export LLVM_PROFILE_FILE=%m; main work=5 values=10 write 'system=main work=100 values=100' work=6 values=4; bash $SRC/counts.sh work=111 *_0 && bash $SRC/../continuous/values.sh '*_0' '5:114 thrice:57 twice:57' && rm *_0
// profrt: run export LLVM_PROFILE_FILE=%m; main work=5 values=10 write reset work=6 values=4 write values=2; bash $SRC/counts.sh work=11 *_0 && bash $SRC/../continuous/values.sh '*_0' '5:16 thrice:8 twice:8' && rm *_0
// profrt: run export LLVM_PROFILE_FILE=%m; main work=5 values=10 write set=b%m work=6 values=4; bash $SRC/counts.sh work=11 b*_0 && bash $SRC/../continuous/values.sh 'b*_0' '5:14 thrice:7 twice:7' && rm b*_0 && bash $SRC/counts.sh work=5 *_0 && bash $SRC/../continuous/values.sh '*_0' '5:10 thrice:5 twice:5' && rm *_0
// profrt: run export LLVM_PROFILE_FILE=%m; main work=5 values=10 write 'system=rm *_0' work=6 values=4 write values=2; bash $SRC/counts.sh work=11 *_0 && bash $SRC/../continuous/values.sh '*_0' '5:16 thrice:8 twice:8' && rm *_0
// profrt: variant values
// A second profile of a process has values since the first one, too.
// profrt: object main.o bare ../continuous/language.c -w -fprofile-generate
// profrt: program main main.o -ldl -lpthread
// profrt: run export LLVM_PROFILE_FILE=default.profraw; main work=5 values=10 write 'system=main values=100' work=6 values=4 write values=2; bash $SRC/../continuous/values.sh default.profraw '5:116 thrice:58 twice:58' && $SRC/profiles.sh 4 work=11 default.profraw
// profrt: run export LLVM_PROFILE_FILE=default.profraw; main values=10 write values=4 write values=2; bash $SRC/../continuous/values.sh default.profraw '5:16 thrice:8 twice:8' && rm default.profraw
