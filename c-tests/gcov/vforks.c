// A thread starts programs by `vfork` and `exec`, or ends its `vfork` children by `_exit`. Before an `exec` the child writes the files, in the
// memory of its parent, whose main thread ends meanwhile: each run is counted once, with no line and in time.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime doubles all counts in each `exec` of a `vfork` child
// profrt: variant exec
// profrt: run for i in $(seq 30); do timeout 20 main exec $((i * 100)) 2>> err || exit; done; ! grep . err && rm err && test "$(bash $SRC/counters.sh main.gcda 1)" = "30 30" && rm main.gcda
// profrt: variant _exit
// profrt: run for i in $(seq 30); do timeout 20 main _exit $((i * 100)) 2>> err || exit; done; ! grep . err && rm err && test "$(bash $SRC/counters.sh main.gcda 1)" = "30 30" && rm main.gcda
// profrt: variant all
// The main thread waits for the other one: that is counted, too.
// profrt: run main exec all && main _exit all && test "$(bash $SRC/counters.sh main.gcda 1) $(bash $SRC/counters.sh main.gcda 2)" = "2 2 400 400" && rm main.gcda
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char **arguments;

__attribute__((noinline)) int counted(int n) { return n; }
__attribute__((noinline)) int counted_often(int n) { return n + 1; }

__attribute__((noinline)) static void start(void) {
  pid_t child = vfork();
  if (!child) {
    if (!strcmp(arguments[1], "exec"))
      execlp("true", "true", (char *)NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void *work(void *unused) {
  for (int i = 0; i < 200; i++) {
    counted_often(i);
    start();
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  arguments = argv;
  counted(argc);
  pthread_create(&thread, NULL, work, NULL);
  if (!strcmp(argv[2], "all"))
    pthread_join(thread, NULL);
  else
    usleep(atoi(argv[2]));
  return 0;
}
