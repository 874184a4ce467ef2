// Executable, shared objects and children: a file each, and the sum is exact.
// profrt: object main.o language.c -DLIBRARIES
// profrt: object one.o language.c -DLIBRARY=one -fPIC
// profrt: object two.o language.c -DLIBRARY=two -fPIC
// profrt: cflags -w
// profrt: only-ours: LLVM's images truncate each other's file, and children count into their parent's
// profrt: variant linked
// profrt: flags -fprofile-instr-generate
// profrt: shared libone.so one.o {resources}/lib/linux/profrt-continuous.o
// profrt: shared libtwo.so two.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o libone.so libtwo.so {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30 kill
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 10 one 20 two 30
// profrt: run=137 LLVM_PROFILE_FILE=b%c%m.profraw main work=10 one=20 two=30 kill
// profrt: run test $(ls b* | wc -l) = 3 && bash $SRC/counts.sh 'b*.profraw' work 10 one 20 two 30
// profrt: variant again
// profrt: flags -fprofile-instr-generate
// profrt: shared libone.so one.o {resources}/lib/linux/profrt-continuous.o
// profrt: shared libtwo.so two.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o libone.so libtwo.so {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// A run replaces the files of an earlier one.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30; done
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 10 one 20 two 30
// profrt: variant moved
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: program main main.o libone.so libtwo.so -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30 kill
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 10 one 20 two 30
// profrt: variant some
// One image has pages, one is moved, one has neither and is written at exit.
// profrt: flags -fprofile-instr-generate
// profrt: object two.o language.c -DLIBRARY=two -fPIC -mllvm -runtime-counter-relocation
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: program main main.o libone.so libtwo.so {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30 2>told; test $(grep -c Warning told) -le 1 && rm told
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 10 one 20 two 30
// profrt: variant lld-ir
// profrt: flags -fprofile-generate -fuse-ld=lld
// profrt: shared libone.so one.o {resources}/lib/linux/profrt-continuous.o
// profrt: shared libtwo.so two.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o libone.so libtwo.so {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30 values=8 kill
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 10 one 20 two 30
// profrt: variant plugin
// profrt: flags -fprofile-instr-generate
// profrt: object main.o language.c
// profrt: shared libone.so one.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// Unloaded and loaded again: another file.
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main load=libone.so call=5 unload load=libone.so call=6 unload load=libone.so call=7 kill
// profrt: run test $(ls | wc -l) = 4 && bash $SRC/counts.sh 'a*.profraw' one 18
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main load=libone.so call=5 unload
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh 'a*.profraw' one 5
// profrt: run LLVM_PROFILE_FILE=b%c.profraw main load=libone.so unload load=libone.so 'system=test $(ls /proc/$PPID/fd | wc -l) = 3'
// profrt: variant fork
// profrt: flags -fprofile-instr-generate
// profrt: shared libone.so one.o {resources}/lib/linux/profrt-continuous.o
// profrt: shared libtwo.so two.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o libone.so libtwo.so {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 fork in_child=3 work=100 one=200 kill parent work=1 wait
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 111 one 220 two 0 in_child 3
// profrt: run LLVM_PROFILE_FILE=b%c-%p.profraw main work=10 fork work=100 parent fork work=1000 kill parent work=1 wait
// profrt: run test $(ls b* | wc -l) = 9 && bash $SRC/counts.sh 'b*.profraw' work 1111
// profrt: run LLVM_PROFILE_FILE=c%c%m.profraw main work=10 fork work=100 parent wait fork work=1000 fork work=10000 parent wait parent
// profrt: run test $(ls c* | wc -l) = 9 && bash $SRC/counts.sh 'c*.profraw' work 11110
// profrt: variant fork-reset
// As always in this mode, a child begins with no counts, in a file of its own.
// profrt: flags -fprofile-instr-generate
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=a%c.profraw main work=10 fork work=100 parent wait fork work=1000 kill parent wait work=1
// profrt: run test $(ls | wc -l) = 3 && bash $SRC/counts.sh 'a*.profraw' work 1111
// profrt: variant fork-dumped
// profrt: flags -fprofile-generate
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main values=10 dump fork values=6 work=100 parent wait
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 100 && bash $SRC/values.sh 'a*.profraw' '5:16 thrice:8 twice:8'
// profrt: variant fork-ir
// profrt: flags -fprofile-generate
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 values=10 write fork values=6 work=100 parent work=1 wait
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 111 && bash $SRC/values.sh 'a*.profraw' '5:16 thrice:8 twice:8'
// profrt: variant fork-moved
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: object main.o language.c
// profrt: program main main.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 fork work=100 kill parent work=1 wait
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 111 && bash $SRC/counts.sh a-1.profraw work 100
// profrt: variant exec
// profrt: flags -fprofile-instr-generate
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// Children under the same name, one after the other and at once; another run then begins anew.
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=1 'system=main work=10; main work=100; main work=1000 & main work=10000; wait'; test $(ls | wc -l) = 5
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 11111
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=1; test $(ls | wc -l) = 1 && bash $SRC/counts.sh 'a*.profraw' work 1
// profrt: variant vfork
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: object main.o language.c
// profrt: program main main.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=1 system=true work=2; test $(ls | wc -l) = 1 && bash $SRC/counts.sh a.profraw work 3
// profrt: variant daemon
// All descriptors are closed: the file is owned all the same.
// profrt: flags -fprofile-instr-generate
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=1 close 'system=main work=10' work=1 kill; bash $SRC/counts.sh a.profraw work 2 && bash $SRC/counts.sh a-1.profraw work 10
