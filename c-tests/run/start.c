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
// profrt: variant write-protected
// A file that may not be written stays: our own, and another user's in a directory where we could remove it. The profile goes beside it.
// profrt: needs root setpriv: changes users
// profrt: no-profile
// profrt: official export LLVM_PROFILE_FILE=$PWD/d/x.profraw; mkdir d; chmod 755 .; chmod 777 d; main work=5; for owner in 65534 0; do cp d/x.profraw old; chown $owner d/x.profraw; chmod $((owner ? 444 : 644)) d/x.profraw; setpriv --reuid=65534 --regid=65534 --clear-groups main work=6 2>told; test $(wc -l <told) = 1 && cmp d/x.profraw old && test $(ls d | wc -l) = 1 || exit; done; rm -r d old told
// profrt: ours export LLVM_PROFILE_FILE=$PWD/d/x.profraw; mkdir d; chmod 755 .; chmod 777 d; main work=5; for owner in 65534 0; do cp d/x.profraw old; chown $owner d/x.profraw; chmod $((owner ? 444 : 644)) d/x.profraw; setpriv --reuid=65534 --regid=65534 --clear-groups main work=6 2>told; test $(wc -l <told) = 1 && grep -q '/x.profraw" cannot be written: Permission denied, the profile goes to ".*/x-' told && cmp d/x.profraw old && bash $SRC/counts.sh work=6 d/x-*.profraw && rm d/x-*.profraw || exit; done; rm -r d old told
// profrt: variant mode
// The next run's file is open to nobody who could not read the old one, also when it is another user's.
// profrt: needs root: changes users
// profrt: run for mode in 600 640 400 604 644; do LLVM_PROFILE_FILE=$mode.profraw main work=5; chmod $mode $mode.profraw; LLVM_PROFILE_FILE=$mode.profraw main work=6; test $(stat -c %a $mode.profraw) = $mode && bash $SRC/counts.sh work=6 $mode.profraw || exit; done
// profrt: run LLVM_PROFILE_FILE=other.profraw main work=5; chmod 600 other.profraw; chown 65534 other.profraw; LLVM_PROFILE_FILE=other.profraw main work=6; stat -c '%a %u' other.profraw; bash $SRC/counts.sh work=6 other.profraw
// Processes of that run add to it. One that is killed leaves no counts.
// profrt: run umask 077; for i in 1 2; do LLVM_PROFILE_FILE=run.profraw main work=6 'system=main work=10; main work=100 kill'; bash $SRC/counts.sh work=16 run.profraw || exit; done; LLVM_PROFILE_FILE=run.profraw main work=5 kill; test ! -s run.profraw && rm run.profraw
// A name that leads elsewhere, too, goes; what is there stays.
// profrt: ours echo mine >notes; chmod 600 notes; ln notes linked.profraw; LLVM_PROFILE_FILE=linked.profraw main work=6; test "$(cat notes)" = mine && bash $SRC/counts.sh work=6 linked.profraw && rm notes linked.profraw
// profrt: variant umask
// One that leaves no permissions at all: the next run goes on, without a word.
// profrt: needs root setpriv: changes users
// profrt: no-profile
// profrt: ours chmod 777 .; for name in x.profraw m%m.profraw; do for i in 1 2; do LLVM_PROFILE_FILE=$name setpriv --reuid=65534 --regid=65534 --clear-groups bash -c 'umask 777; main work=5' 2>&1 || exit; done | cat >told; test ! -s told && test $(ls | wc -l) = 2 || exit; case $name in m*) test $(stat -c %a m*) = 600 && bash $SRC/counts.sh work=10 m* ;; *) bash $SRC/counts.sh work=5 x* ;; esac || exit; rm *; done; chmod 755 .
// profrt: variant recycled_pid-namespace
// A number that is used again in one run costs nothing: each of these is process 1.
// profrt: needs root mount unshare: makes a namespace of process numbers
// profrt: only-ours: LLVM's children add to it
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main work=5 'system=for i in 1 2 3; do unshare -p -f main work=10; done' && bash $SRC/counts.sh work=30 x-1.profraw
