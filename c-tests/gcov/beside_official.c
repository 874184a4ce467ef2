// A program and a library with different runtimes: `__gcov_dump` writes the program's own files.
// profrt: only-ours: LLVM's runtime is on both sides
// profrt: no-profile
// profrt: object program.o --coverage
// profrt: object library.o library.c --coverage -fPIC
// profrt: variant library-with-the-official
// profrt: shared library.so library.o bare {official}
// profrt: program main bare library.so program.o {resources}/lib/linux/libclang_rt.profile-x86_64.a
// profrt: run main; test "$(bash $SRC/counters.sh program.gcda 1)" = 1 && rm *.gcda
// profrt: variant program-with-the-official
// profrt: shared library.so library.o bare {resources}/lib/linux/libclang_rt.profile-x86_64.a
// profrt: program main bare library.so program.o {official}
// profrt: run main; test "$(bash $SRC/counters.sh program.gcda 1)" = 1 && rm *.gcda
#include <unistd.h>

int library(int n);
void __gcov_dump(void);

int main(int argc, char **argv) {
  (void)argv;
  library(argc);
  __gcov_dump();
  _exit(0);
}
