// A thread changes the environment while another loads and unloads an instrumented library: no change is lost, for the runtime changes
// it through the C library only; and no memory of the program is held by pages that nobody else knows.
// profrt: only-ours: LLVM's runtime loses a change now and then
// profrt: object main.o bare -DPROGRAM
// profrt: object lib.o -fPIC -fprofile-instr-generate
// profrt: shared liblib.so lib.o -fprofile-instr-generate
// profrt: variant setenv
// profrt: program main main.o bare -ldl -pthread
// profrt: cov liblib.so
// profrt: run LLVM_PROFILE_FILE=x.profraw main $BIN/liblib.so 3000
// profrt: variant found
// A second image finds what the first has said, and changes nothing.
// profrt: program main main.o bare -ldl -pthread
// profrt: cov liblib.so
// profrt: run export LLVM_PROFILE_FILE=x.profraw __LLVM_PROFILE_RT_INIT_ONCE=mine; test "$(main $BIN/liblib.so 1 show)" = "__LLVM_PROFILE_RT_INIT_ONCE=mine"
// profrt: variant what-others-need
// profrt: program main main.o bare -ldl -pthread
// profrt: cov liblib.so
// profrt: run for name in x-%p x-%m x%c x new/x; do LLVM_PROFILE_FILE=$name.profraw main $BIN/liblib.so 1 show > shown; grep -q '^__LLVM_PROFILE_RT_INIT_ONCE=.' shown && test $(wc -l < shown) = 1 || exit; done; rm shown
// profrt: variant leaks
// profrt: object main.o bare -DPROGRAM -fsanitize=address
// profrt: program main main.o bare -fsanitize=address -ldl -pthread
// profrt: cov liblib.so
// profrt: run LLVM_PROFILE_FILE=x.profraw ASAN_OPTIONS=detect_leaks=1 main $BIN/liblib.so 20
// profrt: run LLVM_PROFILE_FILE=x.profraw ASAN_OPTIONS=detect_leaks=1 main $BIN/liblib.so 20
#ifndef PROGRAM
int part(int x) { return x ? x + 1 : 0; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;

static volatile int stop, lost;

static void *change(void *unused) {
  char name[16], value[32];
  for (unsigned n = 0; !stop; n++) {
    snprintf(name, sizeof name, "N%u", n % 64);
    snprintf(value, sizeof value, "%u", n);
    setenv(name, value, 1);
    const char *now = getenv(name);
    lost += !now || strcmp(now, value) != 0;
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  int often = atoi(argv[2]);
  static char first[] = "ONLY_HERE=1";
  putenv(first);
  if (often > 20) {
    // With all names the environment has its largest size: a C library that moves it meanwhile lets nobody read it safely.
    char name[16];
    for (unsigned n = 0; n < 64; n++) {
      snprintf(name, sizeof name, "N%u", n);
      setenv(name, "0", 1);
    }
    setenv("__LLVM_PROFILE_RT_INIT_ONCE", "0", 1);
    unsetenv("__LLVM_PROFILE_RT_INIT_ONCE");
    pthread_create(&thread, 0, change, 0);
  }
  for (int i = 0; i < often; i++) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
      return puts(dlerror()), 2;
    ((int (*)(int))dlsym(library, "part"))(1);
    // A block that only the environment knows.
    if (!i)
      putenv(strcpy(malloc(32), "ONLY_HERE=2"));
    if (often > 20) {
      // As in a process of its own: the next one has to say it again.
      unsetenv("__LLVM_PROFILE_RT_INIT_ONCE");
    }
    dlclose(library);
    if (often > 20)
      remove("x.profraw");
  }
  if (often > 20) {
    stop = 1;
    pthread_join(thread, 0);
    void *library = dlopen(argv[1], RTLD_NOW);
    dlclose(library);
  }
  for (char **entry = environ; argc > 3 && *entry; entry++)
    if (strstr(*entry, "PROFRT_") || strstr(*entry, "INIT_ONCE"))
      puts(*entry);
  if (lost)
    printf("%d changes lost\n", lost);
  return lost != 0;
}
#endif
