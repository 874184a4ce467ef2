// Killed before and behind every system call from start to exit, a second write with values among them: the file is whole or absent.
// profrt: only-ours: LLVM's file is empty, then torn
// profrt: no-profile
// profrt: object main.o language.c
// profrt: object killer.o ../run/killer.c bare
// profrt: program killer killer.o bare
// profrt: cflags -w
// profrt: lflags -static
// profrt: variant in-place
// profrt: flags -fprofile-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run bash $SRC/torn.sh main work=3 values=2 write work=4
// profrt: variant moved
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: program main main.o -ldl -lpthread
// profrt: run bash $SRC/torn.sh main work=3 write work=4
