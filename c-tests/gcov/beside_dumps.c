// Children of `fork` in code without --coverage, made while another thread writes the files: they do not write again what was written before.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: object fork.o bare -DFORK
// profrt: program main main.o fork.o -pthread
// profrt: only-ours: LLVM's runtime adds the counts in each dump again
// profrt: run timeout 60 main && test "$(for i in 1 2; do bash $SRC/counters.sh main.gcda $i | cut -d ' ' -f 1; done | paste -sd ' ')" = "1000 100" && rm main.gcda
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FORK
int unseen_fork(void) { return fork(); }
#else
void __gcov_dump(void);
int unseen_fork(void);
static volatile int running = 1;

__attribute__((noinline)) void in_parent(void) {}
__attribute__((noinline)) void in_child(void) {}

static void *dump(void *unused) {
  while (running)
    __gcov_dump();
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 1000; i++)
    in_parent();
  __gcov_dump();
  pthread_create(&thread, NULL, dump, NULL);
  for (int i = 0; i < 100; i++) {
    usleep(500);
    pid_t child = unseen_fork();
    if (!child) {
      in_child();
      exit(0);
    }
    waitpid(child, NULL, 0);
  }
  running = 0;
  pthread_join(thread, NULL);
  return 0;
}
#endif
