// A hot loop executes the same instructions with and without whole pages, and when these are the file's.
// profrt: needs valgrind: counts the instructions
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: object main.o loop.c
// profrt: program plain main.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: variant fe
// profrt: flags -fprofile-instr-generate
// profrt: run bash $SRC/overhead.sh
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: run bash $SRC/overhead.sh
// profrt: variant atomic
// profrt: flags -fprofile-instr-generate -fprofile-update=atomic
// profrt: run bash $SRC/overhead.sh
