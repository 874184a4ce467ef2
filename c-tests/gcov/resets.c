// Counts are reset while a pass waits for the lock of its file, by a signal handler, or in a child that the handler forks. What is counted
// afterwards is in the file, and what was written before is not there again. (The child writes what its parent was writing, too: 300 more.)
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime adds the counts in each dump again
// profrt: run main handler; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 1800 && rm main.gcda
// profrt: run main child; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 2600 && rm main.gcda
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

__attribute__((noinline)) void counted(void) {}

static int forks;
static int release[2];
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

// Another process locks the file until the handler has run.
static pid_t lock(void) {
  int ready[2];
  char byte;
  if (pipe(ready) || pipe(release))
    _exit(1);
  pid_t holder = fork();
  if (!holder) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open("main.gcda", O_RDWR);
    if (fd < 0 || fcntl(fd, 37, &all))
      _exit(1);
    close(ready[0]);
    write(ready[1], "", 1);
    read(release[0], &byte, 1);
    _exit(0);
  }
  close(ready[1]);
  read(ready[0], &byte, 1);
  close(ready[0]);
  return holder;
}

int main(int argc, char **argv) {
  forks = !strcmp(argv[1], "child");
  count(1000);
  __gcov_dump();
  struct itimerval soon = {.it_value.tv_sec = 1};
  signal(SIGALRM, handle);
  pid_t holder = lock();
  count(300);
  setitimer(ITIMER_REAL, &soon, NULL);
  __gcov_dump();
  count(500);
  if (holder)
    waitpid(holder, NULL, 0);
  if (child)
    waitpid(child, NULL, 0);
  return 0;
}
