// A program that has loaded many instrumented shared objects, each with a runtime of its own: one file has all profiles, each once.
// They are copies of one object; each is called as often as its number says.
// profrt: flags -fprofile-instr-generate
// profrt: clang 22..
// profrt: no-profile
// profrt: only-ours: LLVM's runtime leaves a torn file when it is killed, and knows no signals
// profrt: object main.o -DPROGRAM
// profrt: object lib.o -fPIC
// profrt: shared liblib.so lib.o
// profrt: program main main.o -ldl
// profrt: object killer.o killer.c bare
// profrt: program killer killer.o bare
// profrt: variant exit
// profrt: run $SRC/many_images.sh counts exit
// profrt: variant exit-child
// Behind what another process of the run has written.
// profrt: run __LLVM_PROFILE_RT_INIT_ONCE=1 $SRC/many_images.sh counts exit
// profrt: variant signal
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM $SRC/many_images.sh counts signal
// profrt: variant unloaded
// Half of them are unloaded before.
// profrt: run $SRC/many_images.sh counts unload
// profrt: variant pool
// Each has a file of its own; copies of one object have the same.
// profrt: run LLVM_PROFILE_FILE=x%m.profraw $SRC/many_images.sh counts exit
// profrt: variant killed
// In whatever system call: no file, the old one or a whole one.
// profrt: run __LLVM_PROFILE_RT_INIT_ONCE=1 $SRC/many_images.sh killed
#ifndef PROGRAM
// As long as that of a real library.
#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define ONE(n) int function_with_a_name_##n(int x) { return x ? x + 1 : 0; }
TEN(ONE, 1) TEN(ONE, 2) TEN(ONE, 3) TEN(ONE, 4) TEN(ONE, 5) TEN(ONE, 6) TEN(ONE, 7) TEN(ONE, 8) TEN(ONE, 9)
__attribute__((noinline)) int lib(int x) { return x + 1; }
#else
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// main exit|signal|unload NUMBER DIRECTORY
int main(int argc, char **argv) {
  int number = atoi(argv[2]);
  for (int i = 1; i <= number; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.so", argv[3], i);
    void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int (*lib)(int) = image ? (int (*)(int))dlsym(image, "lib") : 0;
    if (!lib)
      return 99;
    for (int n = 0; n < i; n++)
      lib(n);
    if (*argv[1] == 'u' && i % 2)
      dlclose(image);
  }
  if (*argv[1] == 's')
    raise(SIGTERM);
  return 0;
}
#endif
