// Runs under one name: a new one removes what earlier ones have left, and nothing else.
// profrt: object main.o language.c
// profrt: object rebuilt.o language.c -DLIBRARIES -Done=twice -Dtwo=thrice
// profrt: object killer.o ../run/killer.c bare
// profrt: program killer killer.o bare
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: program rebuilt rebuilt.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: only-ours: LLVM's children count into the file of their parent
// profrt: variant left
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 fork work=1000 parent wait; bash $SRC/counts.sh 'app*.profraw' work 1005
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5; test "$(ls)" = app.profraw && bash $SRC/counts.sh 'app*.profraw' work 5
// Killed parents, killed children, several of them.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 fork work=100 fork work=1000 kill parent wait kill parent wait kill; test $(ls | wc -l) = 3
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 fork work=10 parent wait; test $(ls | wc -l) = 2 && bash $SRC/counts.sh 'app*.profraw' work 15
// profrt: variant rebuilt
// The program has changed since.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw rebuilt work=5 fork work=1000 parent wait; LLVM_PROFILE_FILE=app%c.profraw main work=5; test "$(ls)" = app.profraw && bash $SRC/counts.sh 'app*.profraw' work 5
// profrt: variant same-run
// Programs of one run that differ keep their files.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=1 'system=main work=10; rebuilt work=100; main work=1000'; test $(ls | wc -l) = 4 && bash $SRC/counts.sh 'app*.profraw' work 1111
// profrt: variant killed
// profrt: clang 22..
// At whichever system call the new run is killed: the old files are whole or gone.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 fork work=1000 parent wait; bash $SRC/left.sh main work=3
// profrt: variant other-user
// profrt: needs root setpriv: changes users
// A process that has given up its rights forks: the child cannot open its parent's file, and takes the next number, in each run.
// profrt: run chmod 777 .; for i in 1 2 3; do LLVM_PROFILE_FILE=app%c.profraw main work=5 user=65534 fork work=1000 parent wait 2>told; test ! -s told && test "$(ls)" = "$(printf 'app-1.profraw\napp.profraw\ntold')" && bash $SRC/counts.sh 'app*.profraw' work 1005 || exit; done; chmod 755 . && rm told
// The same with a child that was started: the file is of its run.
// profrt: run mkdir d && chmod 777 d && for i in 1 2 3; do LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main user=65534 work=5 'system=main work=1000' 2>told; test ! -s told && test $(ls d | wc -l) = 2 && bash $SRC/counts.sh 'd/app*.profraw' work 1005 || exit; done; mv d/app.profraw b.profraw && rm -r told d
// But not in place of another user's file that is of no such run.
// profrt: run mkdir d && chmod 777 d && LLVM_PROFILE_FILE=d/app%c.profraw main work=3 && LLVM_PROFILE_FILE=d/app%c.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main work=5 2>told; test $(ls d | wc -l) = 2 && grep -q 'Warning: .*is of another run and cannot be removed: Permission denied' told && bash $SRC/counts.sh 'd/app-1.profraw' work 5 && rm d/app-1.profraw && mv d/app.profraw . && rm -r told d
// profrt: variant other-user-may-not-create
// profrt: needs root: changes users
// A daemon that has given up its rights and may create no files: it counts into the file of its parent, and so do its children. A new
// name changes nothing.
// profrt: run mkdir d && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 fork work=200 parent wait parent _exit 2>told; sleep 0.2; grep -q 'Warning: This process counts into the file of its parent, ".*/d/app.profraw".*Permission denied' told && ! grep -q Error told && bash $SRC/counts.sh 'd/*.profraw' work 1205 && mv d/app.profraw a.profraw && rm -r told d
// profrt: run mkdir d e && chmod 777 e && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 set=$PWD/e/new%c.profraw work=20 parent wait 2>told; bash $SRC/counts.sh d/app.profraw work 1025 && mv d/app.profraw b.profraw && rm -r told d e
// Its calls change nothing for the parent: a reset, and a stream, which would get the counts of the parent, too.
// profrt: run mkdir d && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 reset work=7 parent wait 2>told; grep -q 'Warning: Counters were not reset' told && bash $SRC/counts.sh 'd/*.profraw' work 1012 && mv d/app.profraw c.profraw && rm -r told d
// profrt: run mkdir d e && chmod 777 e && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 merge_into=e/stream write_into=e/stream parent wait >said 2>told; test $(grep -c 'does not go to the stream' told) = 2 && test ! -s e/stream && bash $SRC/counts.sh 'd/*.profraw' work 1005 && mv d/app.profraw d.profraw && rm -r said told d e
// Where somebody has removed the file meanwhile, the child says so.
// profrt: run mkdir d && { LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork 'system=while test -e d/app.profraw; do sleep 0.05; done' work=1000 parent wait 2>told & while ! grep -q 'of its parent' told 2>/dev/null; do sleep 0.05; done; rm d/app.profraw; wait; }; grep -q 'Failed to write file ".*/d/app.profraw": it was replaced meanwhile' told && rm -r told d
// profrt: variant private-directory
// profrt: needs root: changes users
// The directory is root's alone, so that the child may not even look at the file: nothing says that it was replaced.
// profrt: run mkdir -m 700 d && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 write parent wait >said 2>told; grep -qx 'write 0' said && test $(wc -l <told) = 1 && bash $SRC/counts.sh 'd/*.profraw' work 1005 && mv d/* . && rm -r said told d
// profrt: variant no-descriptors
// A child that has no descriptor for a file of its own.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 files=3 fork work=1000 parent wait 2>told; grep -q 'counts into the file of its parent.*Too many open files' told && ! grep -q Error told && bash $SRC/counts.sh 'app*.profraw' work 1005 && rm told
// profrt: variant other-user-values
// profrt: needs root: changes users
// profrt: object irmain.o bare language.c -fprofile-generate -w -fPIE
// profrt: program main irmain.o {resources}/lib/linux/profrt-continuous.o -pie -ldl -lpthread
// The values need a new file, which may not replace the mapped one: they are lost, counters are neither lost nor doubled.
// profrt: run for mode in 755 777; do mkdir d && chmod $mode d && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 values=3 user=65534 work=1000 2>told; grep -q 'Values were not written; all counters are in ".*/d/app.profraw": Permission denied' told && test $(ls d | wc -l) = 1 && bash $SRC/counts.sh 'd/*.profraw' work 1005 && mv d/app.profraw . && rm -r told d || exit; done
// profrt: variant sticky-directory
// profrt: needs root: changes users
// The files of other users may be opened there, but not replaced.
// profrt: run mkdir d && chmod 1777 d && umask 0 && for i in 1 2; do touch d/app-1.profraw && LLVM_PROFILE_FILE=$PWD/d/app%c.profraw main work=5 user=65534 fork work=1000 parent wait 2>told; test ! -s told && test ! -s d/app-1.profraw && rm d/app-1.profraw && test $(ls d | wc -l) = 2 && bash $SRC/counts.sh 'd/app*.profraw' work 1005 || exit; done; mv d/* . && rm -r d told
// profrt: variant others-left
// profrt: needs root setpriv strace: changes users, counts system calls
// What another user has left, and this one may not remove, is named.
// profrt: run mkdir d && chmod 777 d && export LLVM_PROFILE_FILE=$PWD/d/app%c.profraw && main work=5 fork work=1000 parent wait && rm d/app.profraw && setpriv --reuid=65534 --regid=65534 --clear-groups main work=7 2>told; grep -q 'Warning: ".*/app-1.profraw" is of another run and cannot be removed: Permission denied' told && bash $SRC/counts.sh d/app.profraw work 7 && bash $SRC/counts.sh d/app-1.profraw work 1000 && mv d/* . && rm -r d told
// However many there are, one is named.
// profrt: run mkdir d && chmod 777 d && export LLVM_PROFILE_FILE=$PWD/d/app%c.profraw && main work=5 fork work=1000 parent wait && rm d/app.profraw && for i in $(seq 2 400); do cp d/app-1.profraw d/app-$i.profraw; done && setpriv --reuid=65534 --regid=65534 --clear-groups strace -f -o d/calls main work=7 2>told; test $(grep -c 'cannot be removed' told) = 1 && bash $SRC/counts.sh d/app.profraw work 7 && mv d/app.profraw d/app-1.profraw . && rm -r d told
// In a directory where they may be opened, but not removed, and each is of a run of its own.
// profrt: run mkdir d && chmod 1777 d && umask 0 && export LLVM_PROFILE_FILE=$PWD/d/app%c.profraw && for i in $(seq 2 30); do main work=5 fork work=1000 parent wait && mv d/app-1.profraw app-$i.profraw; done && rm d/* && mv app-2.profraw app-1.profraw && mv app-* d && setpriv --reuid=65534 --regid=65534 --clear-groups strace -f -o d/calls main work=7 2>told; test $(grep -c 'cannot be removed' told) = 1 && test $(grep -c app- d/calls) -lt 300 && bash $SRC/counts.sh d/app.profraw work 7 && mv d/app.profraw . && rm -r d told
// profrt: variant failed
// A child that cannot have a file of its own counts into that of its parent.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=app%c.profraw main work=5 limit=4096 fork limit=100000000 work=1000 write work=100 parent wait 2>told; test $(ls app* | wc -l) = 1 && bash $SRC/counts.sh 'app*.profraw' work 1105 || exit; done; LLVM_PROFILE_FILE=app%c.profraw main work=5; grep -q 'counts into the file of its parent' told && rm told && test "$(ls)" = app.profraw && bash $SRC/counts.sh 'app*.profraw' work 5
// profrt: variant not-possible
// The same for a program that cannot map its counters, beside one that does.
// profrt: object plain.o bare language.c -fprofile-instr-generate -w
// profrt: program plain plain.o -ldl -lpthread
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=app%c.profraw main work=5 'system=plain work=50 write work=500 2>/dev/null; plain work=1000 2>/dev/null' work=1; test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'app*.profraw' work 1556 || exit; done; LLVM_PROFILE_FILE=app%c.profraw main work=5; test "$(ls)" = app.profraw && bash $SRC/counts.sh 'app*.profraw' work 5
// It removes what an earlier run has left.
// profrt: run LLVM_PROFILE_FILE=b%c.profraw main work=5 fork work=1000 parent wait; test $(ls b* | wc -l) = 2 && LLVM_PROFILE_FILE=b%c.profraw plain work=7 write work=70 2>/dev/null; test "$(ls b*)" = b.profraw && bash $SRC/counts.sh b.profraw work 77
// profrt: variant note
// Who asks for notes learns of the other files.
// profrt: run LLVM_PROFILE_VERBOSE=1 LLVM_PROFILE_FILE=app%c.profraw main work=5 fork work=1000 parent wait 2>told; test $(grep -c 'Note: .* file of its own, ".*/app-1.profraw"' told) = 1 && rm told
