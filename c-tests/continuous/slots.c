// Under a name with %c each process has a file of its own, that no other one has had: `NAME`, `NAME-1`, … So nothing that another process does
// carries or erases its counts. The next run begins anew. Only a pool (%c%m) goes on with what is there.
// profrt: only-ours: LLVM's children count into the file of their parent
// profrt: no-profile
// profrt: clang 22..
// profrt: object main.o language.c
// profrt: object plain.o bare language.c -fprofile-instr-generate -w
// profrt: object holder.o bare ../run/read_locked.c -DHOLDER -w
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: program plain plain.o -ldl -lpthread
// profrt: program holder holder.o bare
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: variant reset-in-turn
// Five workers, one after the other, each of which resets its counters first: executed, and forked.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main 'system=for i in 1 2 3 4 5; do main reset work=100; done'; bash $SRC/counts.sh 'app*.profraw' work 500 && rm app*
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main fork reset work=100 parent wait fork reset work=100 parent wait fork reset work=100 parent wait fork reset work=100 parent wait fork reset work=100 parent wait; bash $SRC/counts.sh 'app*.profraw' work 500 && rm app*
// Killed ones, too.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main 'system=for i in 1 2 3 4 5; do main reset work=100 kill; done'; bash $SRC/counts.sh 'app*.profraw' work 500 && rm app*
// profrt: variant reset-in-turn-pool
// profrt: run export LLVM_PROFILE_FILE=app%c%m.profraw; main 'system=for i in 1 2 3 4 5; do main reset work=100; done'; bash $SRC/counts.sh 'app*.profraw' work 500 && rm app*
// profrt: variant reset
// A process erases its own counts.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=5 'system=main work=1000' reset work=7 kill; bash $SRC/counts.sh 'app*.profraw' work 1007 && bash $SRC/counts.sh app.profraw work 7 && rm app*
// profrt: variant set-filename
// Nothing moves to another name in mid-run: one line, and the counts stay; those of a process that has ended stay in any case.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main 'system=main work=100' 'system=main work=1 set=b%c.profraw work=10 2>told'; test $(wc -l <told) = 1 && grep -q 'LLVM Profile Warning: .*app-' told && bash $SRC/counts.sh 'app*.profraw' work 111 && ! ls b* 2>/dev/null && rm app* told
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=1 'system=main work=100' set=b.profraw work=10 2>told; test $(wc -l <told) = 1 && bash $SRC/counts.sh app.profraw work 11 && bash $SRC/counts.sh 'app-*' work 100 && ! ls b* 2>/dev/null && rm app* told
// The name that is told is the one that has the counts.
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=1 set=b%c.profraw name fork work=10 name parent wait 2>told >said; test "$(xargs <said)" = "name app.profraw name app-1.profraw" && bash $SRC/counts.sh 'app*.profraw' work 11 && ! ls b* 2>/dev/null && rm app* told said
// profrt: variant five
// At once: the parent and four children, executed and forked.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=1 'system=for i in 1 2 3 4; do main work=10 "system=sleep 0.5" & done; wait'; test "$(ls | xargs)" = "app-1.profraw app-2.profraw app-3.profraw app-4.profraw app.profraw" && bash $SRC/counts.sh app.profraw work 1 && for i in 1 2 3 4; do bash $SRC/counts.sh app-$i.profraw work 10 || exit; done; rm app*
// profrt: run LLVM_PROFILE_FILE=app%c.profraw main work=1 fork work=10 'system=sleep 0.5' parent fork work=10 'system=sleep 0.5' parent fork work=10 'system=sleep 0.5' parent fork work=10 'system=sleep 0.5' parent wait; test "$(ls | xargs)" = "app-1.profraw app-2.profraw app-3.profraw app-4.profraw app.profraw" && bash $SRC/counts.sh app.profraw work 1 && bash $SRC/counts.sh 'app-*.profraw' work 40 && rm app*
// In turn, too: nobody takes another one's file.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=1 'system=for i in 1 2 3 4; do main work=10; done'; test $(ls | wc -l) = 5 && for i in app-*; do bash $SRC/counts.sh $i work 10 || exit; done; bash $SRC/counts.sh app.profraw work 1 && rm app*
// profrt: variant next-run
// It removes what earlier ones have left, up to the first number that is missing, and no other file.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; for i in 1 2; do main work=1 'system=for i in 1 2 3; do main work=10; done'; test $(ls | wc -l) = 4 && bash $SRC/counts.sh 'app*' work 31 || exit; done; main work=5; test "$(ls)" = app.profraw && bash $SRC/counts.sh app.profraw work 5 && rm app*
// Killed, and without the first file.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=1 'system=main work=10 kill' kill; rm app.profraw; main work=5 kill; test "$(ls)" = app.profraw && bash $SRC/counts.sh app.profraw work 5 && rm app*
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; echo mine >app-x.profraw; echo mine >other-1.profraw; mkdir app-1.profraw; main work=5; rmdir app-1.profraw && rm app.profraw && test "$(cat app-x.profraw other-1.profraw | xargs)" = "mine mine" && rm *
// profrt: variant not-a-profile
// A file that is no profile is not ours to remove, whatever it is called; the name is taken.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; echo text >app-1.profraw; mkdir app-2.profraw; for i in 1 2; do main work=5 'system=main work=10'; test "$(cat app-1.profraw)" = text && test -d app-2.profraw && bash $SRC/counts.sh 'app.profraw app-3.profraw' work 15 || exit; done; rm -r app*
// profrt: variant running
// The file of a process that lives is locked, and stays.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=1 'system=main work=10 "system=sleep 1" work=100 & sleep 0.3' kill; main work=5; sleep 1.2; bash $SRC/counts.sh 'app*.profraw' work 115 && rm app*
// profrt: variant moved-behind-a-link
// A link has the name now, through which nothing is replaced: values are not written, with one line; counters are where they were.
// profrt: object main.o bare language.c -fprofile-generate -w
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=5 values=10 'system=mv app.profraw old && ln -s old app.profraw' work=6 2>told; test -L app.profraw && test "$(ls | xargs)" = "app.profraw old told" && test $(wc -l <told) = 1 && grep -q 'Values were not written.*it is no regular file' told && bash $SRC/counts.sh app.profraw work 11 && rm app* old told
// profrt: variant pool-adopts
// Five members, and no more by a second run.
// profrt: run export LLVM_PROFILE_FILE=app%c%m.profraw; for i in 1 2; do main work=1 'system=for i in 1 2 3 4; do main work=10 "system=sleep 0.5" & done; wait'; test $(ls | wc -l) = 5 && bash $SRC/counts.sh 'app*.profraw' work $((i * 41)) || exit; done; main work=100 kill; test $(ls | wc -l) = 5 && bash $SRC/counts.sh 'app*.profraw' work 182 && rm app*
// profrt: variant pool-of-many
// profrt: run export LLVM_PROFILE_FILE=app%c%m.profraw; main work=1 'system=for i in $(seq 104); do main work=10 "system=sleep 3" & done; wait' 2>told; test $(ls app* | wc -l) = 105 && test ! -s told && bash $SRC/counts.sh 'app*.profraw' work 1041 && rm app* told
// profrt: variant directory
// One that has the name is as any file that has it.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; mkdir app.profraw; for i in 1 2; do main work=5 kill; test "$(ls | xargs)" = "app-1.profraw app.profraw" && bash $SRC/counts.sh app-1.profraw work 5 || exit; done; plain work=6 2>/dev/null; bash $SRC/counts.sh app-1.profraw work 6 && rm -r app*
// profrt: variant umask
// One that leaves no permissions at all: the file is its owner's.
// profrt: needs root setpriv: changes users
// profrt: run chmod 777 .; for name in app%c.profraw app%c%m.profraw; do export LLVM_PROFILE_FILE=$name; for i in 1 2; do setpriv --reuid=65534 --regid=65534 --clear-groups bash -c 'umask 777; main work=5 2>&1'; done >told; test ! -s told && test "$(stat -c %a app*)" = 600 && rm app* told || exit; done; chmod 755 .
// profrt: variant reader-not-mapped
// A program that cannot map its counters writes at its exit, and before, into one file that it keeps, also when a reader has that locked meanwhile.
// profrt: run for name in app%c.profraw app%c%m.profraw; do export LLVM_PROFILE_FILE=$name; plain work=5 write 'system=for f in app*; do holder $f; done; (sleep 0.7; kill $(cat holder)) >/dev/null 2>&1 &' work=5 write 2>/dev/null; bash $SRC/counts.sh 'app*' work 10 && test $(ls app* | wc -l) = 1 && rm app* holder || exit; done
// profrt: variant reader-mapped
// profrt: run for name in app%c.profraw app%c%m.profraw; do export LLVM_PROFILE_FILE=$name; main work=5 write 'system=for f in app*; do holder $f; done; (sleep 0.7; kill $(cat holder)) >/dev/null 2>&1 &' work=5 write 2>/dev/null; bash $SRC/counts.sh 'app*' work 10 && rm app* holder || exit; done
// profrt: variant crowd-not-mapped
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; for i in $(seq 5); do plain 'system=for i in 1 2 3 4 5 6 7 8; do plain work=5 write work=5 2>/dev/null & done; wait' 2>/dev/null; bash $SRC/counts.sh 'app*' work 80 && rm app* || exit; done
// profrt: run export LLVM_PROFILE_FILE=app%c%m.profraw; for i in $(seq 5); do for i in 1 2 3 4 5 6 7 8; do plain work=5 write work=5 2>/dev/null & done; wait; bash $SRC/counts.sh 'app*' work 80 && rm app* || exit; done
// profrt: variant message
// That it is not possible is told once in a run, in one line.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; plain work=5 'system=plain work=5; plain work=5 "system=plain"' fork work=5 parent wait 2>told; test $(wc -l <told) = 1 && grep -q 'LLVM Profile Warning: .*%c' told && rm app* told
// profrt: run export LLVM_PROFILE_FILE=app%c%m.profraw; plain work=5 'system=plain work=5; plain work=5' 2>told; test $(wc -l <told) = 1 && rm app* told
// profrt: variant forked-not-mapped
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; LLVM_PROFILE_FORK=reset plain work=5 write fork work=10 write work=10 parent wait fork work=10 parent wait work=5 2>/dev/null; bash $SRC/counts.sh 'app*' work 40 && rm app*
// profrt: variant stream
// A stream is refused, with a line: counters are in the file.
// profrt: run export LLVM_PROFILE_FILE=app%c.profraw; main work=5 merge_into=s work=6 kill 2>told | grep -qx 'stream [^0].*'; test $(wc -l <told) = 1 && test ! -s s && bash $SRC/counts.sh app.profraw work 11 && rm app* s told
