// A handler of the program in memory that may be executed but not read, or not even that: nobody looks at its instructions.
// profrt: flags -fprofile-instr-generate
// profrt: object main.o
// profrt: object lib.o -DLIB -fPIC
// profrt: shared lib.so lib.o
// profrt: program main main.o -ldl
// profrt: variant behind
// The program's handler takes our place.
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=USR1 main none
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=USR1 main execute
// profrt: variant before
// Our handler passes the signal on to it.
// profrt: run EARLY=none LLVM_PROFILE_DUMP_SIGNALS=USR1 main
// profrt: run EARLY=execute LLVM_PROFILE_DUMP_SIGNALS=USR1 main
// profrt: variant closed
// An object that is closed asks for copies of itself.
// profrt: run EARLY=none LLVM_PROFILE_DUMP_SIGNALS=USR1,USR2 main "" lib.so
// profrt: run EARLY=execute LLVM_PROFILE_DUMP_SIGNALS=USR1 main "" lib.so
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=USR1 main none lib.so
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=USR1 main execute lib.so
#define _GNU_SOURCE
#ifdef LIB
int in_library(int x) { return x + 2; }
#else
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((no_profile_instrument_function)) static void install(const char *how) {
  unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  /* A function that returns. */
  memset(page, 0xc3, 4096);
  int execute = !strcmp(how, "execute");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = (void (*)(int))page;
  if (mprotect(page, 4096, execute ? PROT_EXEC : PROT_NONE) || sigaction(SIGUSR1, &action, NULL))
    _Exit(9);
  if (execute)
    raise(SIGUSR1);
}

__attribute__((constructor(101), no_profile_instrument_function)) static void before_all(void) {
  if (getenv("EARLY"))
    install(getenv("EARLY"));
}

int main(int argc, char **argv) {
  if (argc > 2) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("BIN"), argv[2]);
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib)
      return 8;
    if (argv[1][0])
      install(argv[1]);
    dlclose(lib);
  } else if (argc > 1)
    install(argv[1]);
  puts("at the end");
  return 0;
}
#endif
