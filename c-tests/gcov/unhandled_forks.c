// Children that no fork handler sees, made by the system call while another thread writes the files: each child's counts are written, without
// a line and at once.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime adds the counts in each dump again
// profrt: run timeout 25 main 2> err; test $? = 0 && ! grep . err && rm err && test "$(bash $SRC/counters.sh main.gcda 1)" = 100 && rm main.gcda
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void __gcov_dump(void);
static volatile int running = 1;

__attribute__((noinline)) int in_child(int n) { return n; }

static void *dump(void *unused) {
  while (running)
    __gcov_dump();
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, dump, NULL);
  for (int i = 0; i < 100; i++) {
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!child)
      exit(in_child(0));
    waitpid(child, NULL, 0);
  }
  running = 0;
  pthread_join(thread, NULL);
  return 0;
}
