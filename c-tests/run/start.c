// The start of a run, as LLVM's runtime has it, and absent where that leaves an empty file: the first process, which has no
// `__LLVM_PROFILE_RT_INIT_ONCE` in its environment, removes the regular file of an earlier run, makes the directories and sets the
// variable. So a run that is killed leaves no profile of an earlier one.
// profrt: object main.o ../continuous/language.c
// profrt: cflags -w
// profrt: lflags -ldl -lpthread
// profrt: flags -fprofile-instr-generate
// profrt: not mapped all: continuous mode has a file from its start on
// profrt: variant killed
// profrt: no-profile
// profrt: run main work=5 && main work=6 kill; test $? = 137
// profrt: ours test ! -e default.profraw
// profrt: official test -e default.profraw && test ! -s default.profraw && rm default.profraw
// profrt: ours LLVM_PROFILE_FILE=$PWD/x-1.profraw main work=5 && LLVM_PROFILE_FILE=$PWD/x-1.profraw main work=6 kill; test -z "$(ls -A)"
// profrt: variant _exit
// profrt: no-profile
// profrt: run main work=5; main work=6 _exit
// profrt: ours test ! -e default.profraw
// profrt: official rm default.profraw
// profrt: variant killed-pool
// What other runs have added up stays.
// profrt: run export LLVM_PROFILE_FILE=%m.profraw; main work=5; main work=6 kill; bash $SRC/counts.sh work=5 *.profraw
// profrt: variant killed-child
// A child process removes nothing, whoever has set the variable, and to what.
// profrt: run main work=5; for v in __LLVM_PROFILE_RT_INIT_ONCE 1 another; do __LLVM_PROFILE_RT_INIT_ONCE=$v main work=6 kill; done; bash $SRC/counts.sh work=5 default.profraw
// profrt: variant children
// What the run itself has written stays, also when its first process is killed.
// profrt: run main work=5; main work=6 'system=main work=10; main work=100' kill; bash $SRC/counts.sh work=110 default.profraw
// profrt: variant variable
// Children know that they are some, and nothing else of the runtime.
// profrt: run for name in x.profraw x%p.profraw x%m.profraw d/x.profraw; do LLVM_PROFILE_FILE=$name main 'system=test -n "$__LLVM_PROFILE_RT_INIT_ONCE"'; done; rm -r d x*; main
// profrt: ours LLVM_PROFILE_FILE=y main 'system=! env | grep -q "^PROFRT_"' | grep -qx 'system 0' && rm y
// profrt: variant variable-set-before
// profrt: run __LLVM_PROFILE_RT_INIT_ONCE=before main 'system=echo "$__LLVM_PROFILE_RT_INIT_ONCE"'
// profrt: variant directories
// They are made at the start.
// profrt: no-profile
// profrt: run LLVM_PROFILE_FILE=d/e/x.profraw main kill; test -d d/e
// profrt: ours rmdir d/e && rmdir d
// profrt: official rm -r d
// profrt: variant link
// What is no regular file is left alone: the file of a link keeps its bytes until the profile comes.
// profrt: only-ours: LLVM's runtime makes the file of a link empty, and waits for a reader of a pipe
// profrt: no-profile
// profrt: run echo old > target; ln -s target default.profraw; main work=5 kill; test -L default.profraw && test "$(cat target)" = old && rm default.profraw target
// profrt: variant pipe
// profrt: only-ours: LLVM's runtime makes the file of a link empty, and waits for a reader of a pipe
// profrt: no-profile
// profrt: run mkfifo default.profraw; timeout 10 main work=5 kill; test $? = 137 && test -p default.profraw && rm default.profraw
// profrt: variant directory
// profrt: no-profile
// profrt: run mkdir default.profraw; main work=5 kill; rmdir default.profraw
// profrt: variant stranger
// A file that may not be removed is no error at the start.
// profrt: needs root setpriv: changes users
// profrt: no-profile
// profrt: ours mkdir d; chmod 755 . d; main work=5 && mv default.profraw d/x.profraw && chmod 644 d/x.profraw; cp d/x.profraw old; LLVM_PROFILE_FILE=$PWD/d/x.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main kill 2>told; test $? = 137 && test ! -s told && cmp d/x.profraw old && rm -r d told old
// profrt: variant recycled_pid-namespace
// A number that is used again in one run costs nothing: each of these is process 1.
// profrt: needs root mount unshare: makes a namespace of process numbers
// profrt: only-ours: LLVM's children add to it
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main work=5 'system=for i in 1 2 3; do unshare -p -f main work=10; done' && bash $SRC/counts.sh work=30 x-1.profraw
