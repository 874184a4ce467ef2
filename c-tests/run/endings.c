// What still runs while the process ends, and ends that run nothing.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: cflags -w
// profrt: variant atexit
// profrt: run main atexit
// profrt: variant on-thread
// profrt: lflags -pthread
// profrt: run main thread
// profrt: variant thread-still-runs
// profrt: flags -fprofile-update=atomic
// profrt: lflags -pthread
// profrt: run main endless
// profrt: skip profile: how far the thread came is chance
// profrt: variant exit-in-constructor
// profrt: no-profile
// profrt: run=4 EARLY=1 main
// profrt: variant signal
// profrt: no-profile
// profrt: run=143 main term
// profrt: official rm default.profraw
// profrt: variant signal-handled
// profrt: run=3 main handled
// profrt: variant dump-in-handler
// profrt: run=143 main dumping
// profrt: variant stack-overflow-free-exit
// profrt: run ulimit -s 128; main atexit
// profrt: variant main-thread-leaves
// profrt: lflags -pthread
// profrt: run main pthread_exit
// profrt: variant locked-heap
// profrt: run main heap
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __llvm_profile_dump(void);
int __llvm_profile_write_file(void);

__attribute__((noinline)) static int counted(int x) { return x > 1 ? x : 1; }
static void late(void) { counted(5); }
static void *leaves(void *x) {
  counted(7);
  exit(0);
  return x;
}
static void *never_ends(void *x) {
  for (volatile int i = 0;; i++)
    counted(i);
  return x;
}
static void handler(int signal) {
  counted(signal);
  exit(3);
}
static void dumper(int number) {
  __llvm_profile_write_file();
  signal(number, SIG_DFL);
  raise(number);
}
__attribute__((constructor)) static void early(void) {
  if (getenv("EARLY"))
    exit(4);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  pthread_t thread;
  if (!strcmp(how, "atexit"))
    atexit(late);
  else if (!strcmp(how, "thread")) {
    pthread_create(&thread, 0, leaves, 0);
    pthread_join(thread, 0);
  } else if (!strcmp(how, "endless"))
    pthread_create(&thread, 0, never_ends, 0);
  else if (!strcmp(how, "pthread_exit"))
    pthread_exit(0);
  else if (!strcmp(how, "term"))
    raise(SIGTERM);
  else if (!strcmp(how, "handled")) {
    signal(SIGTERM, handler);
    raise(SIGTERM);
  } else if (!strcmp(how, "dumping")) {
    signal(SIGTERM, dumper);
    raise(SIGTERM);
  } else if (!strcmp(how, "heap")) {
    for (int i = 0; i < 100; i++)
      free(malloc((size_t)counted(i) * 100));
  }
  return 0;
}
