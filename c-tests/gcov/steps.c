// What a program does on its way to the exit: forks, failing and successful `exec`, `_exit`, `abort`, `exit` in handlers, shared objects.
// profrt: no-profile
// profrt: flags --coverage
// profrt: object main.o
// profrt: object lib.o library.c -fPIC
// profrt: object plug.o library.c -fPIC
// profrt: shared liblib.so lib.o
// profrt: shared plug.so plug.o
// profrt: program main main.o -ldl
// profrt: program linked main.o -Wl,--no-as-needed liblib.so -ldl
// profrt: program dynamic main.o -rdynamic -ldl
// profrt: variant hit
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit hit; bash $SRC/show.sh
// profrt: variant fork
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit fork; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main fork hit fork; bash $SRC/show.sh
// profrt: variant fork-exit
// A child that ends by `_exit` writes nothing.
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit fork-exit; bash $SRC/show.sh
// profrt: variant vfork
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit vfork; bash $SRC/show.sh
// profrt: variant exec
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit exec; bash $SRC/show.sh
// profrt: variant exec-fails
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit exec-fails hit; bash $SRC/show.sh
// profrt: variant exec-in-child
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit fork-exec; bash $SRC/show.sh
// profrt: variant _exit
// profrt: run=3 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit _exit
// profrt: variant abort
// profrt: run=134 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit abort 2> /dev/null
// profrt: variant exit-code
// profrt: run=5 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit exit
// profrt: run bash $SRC/show.sh
// profrt: variant atexit
// profrt: run=7 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main atexit hit
// profrt: run bash $SRC/show.sh
// profrt: variant destructor
// profrt: run=9 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main destructor hit
// profrt: run bash $SRC/show.sh
// profrt: variant chdir
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main chdir hit; bash $SRC/show.sh
// profrt: variant reset
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit reset hit hit; bash $SRC/show.sh
// profrt: variant dump-and-end
// profrt: run=3 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit dump _exit
// profrt: run bash $SRC/show.sh
// profrt: variant dump-and-reset
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit dump reset hit; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main hit dump reset hit dump reset hit; bash $SRC/show.sh
// profrt: variant linked
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked hit library; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked; linked library; bash $SRC/show.sh
// profrt: variant linked-dump
// A dump and a reset reach the shared objects that the program was linked with.
// profrt: run=3 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked hit library dump _exit
// profrt: run bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked hit library reset; bash $SRC/show.sh
// profrt: variant linked-fork
// LLVM's runtime counts in the child what a shared object has counted before the fork.
// profrt: ours export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked library fork; test "$(bash $SRC/counters.sh lib.gcda 1)" = "1 0"
// profrt: official export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked library fork; test "$(bash $SRC/counters.sh lib.gcda 1)" = "2 0"
// profrt: ours rm main.gcda lib.gcda
// profrt: official rm main.gcda lib.gcda
// profrt: variant linked-exec
// LLVM's runtime loses what a shared object has counted before an `exec`.
// profrt: ours export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked library exec; test "$(bash $SRC/counters.sh lib.gcda 1)" = "1 0"
// profrt: official export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; linked library exec; test "$(bash $SRC/counters.sh lib.gcda 1)" = "0 0"
// profrt: ours rm main.gcda lib.gcda
// profrt: official rm main.gcda lib.gcda
// profrt: variant loaded
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main load; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main load unload hit; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main load unload load unload load; bash $SRC/show.sh
// profrt: variant loaded-dump
// A dump does not reach them, unless the program exports its symbols.
// profrt: run=3 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main load hit dump _exit
// profrt: run bash $SRC/show.sh
// profrt: run=3 export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; dynamic load hit dump _exit
// profrt: run bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; dynamic load hit reset; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; dynamic load unload hit; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; dynamic load unload hit dump reset hit; bash $SRC/show.sh
#include "language.h"

static void hit(int n) {
  for (int i = 0; i < n; i++)
    __asm__ volatile("");
}

static int exit_in_destructor;
__attribute__((destructor)) static void destructor(void) {
  if (exit_in_destructor)
    hit(3), exit(9);
}
static void at_exit(void) { hit(2), exit(7); }

int main(int argc, char **argv) {
  void *handle = NULL;
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (!strcmp(step, "hit")) {
      hit(5);
    } else if (!strcmp(step, "library")) {
      library(1);
    } else if (!strcmp(step, "load")) {
      handle = dlopen("plug.so", RTLD_NOW);
      if (!handle || ((int (*)(int))dlsym(handle, "library"))(1) != 2)
        return puts(dlerror()), 2;
    } else if (!strcmp(step, "unload")) {
      dlclose(handle);
    } else if (!strcmp(step, "dump")) {
      __gcov_dump();
    } else if (!strcmp(step, "reset")) {
      __gcov_reset();
    } else if (!strcmp(step, "fork")) {
      if (!fork())
        return hit(100), 0;
      wait(NULL);
    } else if (!strcmp(step, "fork-exit")) {
      if (!fork())
        hit(100), _exit(0);
      wait(NULL);
    } else if (!strcmp(step, "fork-exec")) {
      if (!fork())
        execlp(argv[0], argv[0], "hit", (char *)NULL);
      wait(NULL);
    } else if (!strcmp(step, "vfork")) {
      if (!vfork())
        _exit(0);
      wait(NULL);
    } else if (!strcmp(step, "exec")) {
      execlp(argv[0], argv[0], "hit", (char *)NULL);
    } else if (!strcmp(step, "exec-fails")) {
      execl("/nonexistent", "nonexistent", (char *)NULL);
    } else if (!strcmp(step, "_exit")) {
      _exit(3);
    } else if (!strcmp(step, "exit")) {
      exit(5);
    } else if (!strcmp(step, "abort")) {
      abort();
    } else if (!strcmp(step, "chdir")) {
      if (chdir("/"))
        return 2;
    } else if (!strcmp(step, "atexit")) {
      atexit(at_exit);
    } else if (!strcmp(step, "destructor")) {
      exit_in_destructor = 1;
    } else {
      return 1;
    }
  }
  return 0;
}
