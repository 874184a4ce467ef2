// Counts are reset while a pass waits for the lock of its file, by a signal handler, or in a child that the handler forks. What is counted
// afterwards is in the file, what was not written before is gone, and what was written is not there again. (The child's counts begin at its
// fork.)
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime adds the counts in each dump again
// profrt: run main handler; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 1500 && rm main.gcda
// profrt: run main child; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 2300 && rm main.gcda
#include "../run/lock_holder.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

__attribute__((noinline)) void counted(void) {}

static int forks;
static volatile pid_t child;

static void handle(int number) {
  if (!forks)
    __gcov_reset();
  else
    child = fork();
  // In the child, too: a byte more does no harm.
  write(release[1], "", 1);
}

static void count(int n) {
  while (n--)
    counted();
}

int main(int argc, char **argv) {
  forks = !strcmp(argv[1], "child");
  count(1000);
  __gcov_dump();
  signal(SIGALRM, handle);
  pid_t holder = lock("main.gcda");
  count(300);
  __gcov_dump();
  count(500);
  if (holder)
    waitpid(holder, NULL, 0);
  if (child)
    waitpid(child, NULL, 0);
  return 0;
}
