// What a program does to its environment before it loads an instrumented library: the runtime's constructor looks behind the list that
// the process was started with for what the system says of the process, and what it does not trust there it must ask elsewhere.
// profrt: cflags -fprofile-instr-generate
// profrt: object plain.o bare -DPROGRAM
// profrt: object part.o -DLIBRARY
// profrt: shared libpart.so part.o -fprofile-instr-generate
// profrt: program main plain.o bare -ldl
// profrt: cov libpart.so
// profrt: variant as-it-was
// profrt: run A=1 B=2 C=3 LLVM_PROFILE_FILE=named.profraw main $BIN/libpart.so
// profrt: run test -e named.profraw
// profrt: variant set
// profrt: run A=1 B=2 C=3 LLVM_PROFILE_FILE=named.profraw main $BIN/libpart.so s
// profrt: run test -e named.profraw
// profrt: variant unset
// profrt: run A=1 B=2 C=3 D=4 E=5 LLVM_PROFILE_FILE=named.profraw main $BIN/libpart.so u; test -e named.profraw
// profrt: run A=1 B=2 C=3 D=4 E=5 LLVM_PROFILE_FILE=again.profraw main $BIN/libpart.so uu; test -e again.profraw
// profrt: run A=1 B=2 C=3 D=4 E=5 LLVM_PROFILE_FILE=third.profraw main $BIN/libpart.so uuu; test -e third.profraw
// profrt: variant cut
// profrt: run A=1 B=2 C=3 main $BIN/libpart.so 0p; test -e put.profraw
// profrt: run A=1 B=2 C=3 D=4 main $BIN/libpart.so 1p; test -e put.profraw
// profrt: run A=1 B=2 C=3 D=4 E=5 main $BIN/libpart.so 2p; test -e put.profraw
// profrt: variant cleared
// profrt: run A=1 B=2 C=3 main $BIN/libpart.so cp; test -e put.profraw
// profrt: variant through-the-loader
// profrt: run A=1 LLVM_PROFILE_FILE=named.profraw /lib64/ld-linux-x86-64.so.2 $BIN/main $BIN/libpart.so; test -e named.profraw
// profrt: variant arguments
// profrt: run A=1 LLVM_PROFILE_FILE=named.profraw main $BIN/libpart.so a 1 2 3; test -e named.profraw
#ifdef LIBRARY
int part(int x) { return x ? x + 1 : 0; }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
extern char **environ;

int main(int argc, char **argv) {
  char name[2] = "A";
  for (const char *step = argc > 2 ? argv[2] : ""; *step; step++)
    switch (*step) {
    case 's':
      setenv("Z", "26", 1);
      break;
    case 'u':
      unsetenv(name);
      name[0]++;
      break;
    case '0':
    case '1':
    case '2':
      // As some programs drop it that pass rights on.
      environ[*step - '0'] = 0;
      break;
    case 'c':
      clearenv();
      break;
    case 'p':
      putenv((char *)"LLVM_PROFILE_FILE=put.profraw");
      break;
    case 'a':
      // Options taken out of the list, and the rest moved.
      argv[2] = argv[3];
      argv[3] = 0;
      break;
    }
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return puts(dlerror()), 2;
  int (*part)(int) = (int (*)(int))dlsym(library, "part");
  printf("%d\n", part(1));
  return 0;
}
#endif
