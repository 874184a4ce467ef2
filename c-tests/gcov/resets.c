// Counts are reset while a pass waits for the lock of its file, by a signal handler, or in a child that the handler forks. What is counted
// afterwards is in the file, and what was written before is not there again. (The child's counts begin at
// its fork.)
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime adds the counts in each dump again
// profrt: run main handler; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 1800 && rm main.gcda
// profrt: run main child; test "$(bash $SRC/counters.sh main.gcda 1 | cut -d " " -f 1)" = 2300 && rm main.gcda
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

// Waits until a process sleeps, and so waits for a lock that we have.
static void wait_for(pid_t process) {
  char name[32], state = 0;
  sprintf(name, "/proc/%d/stat", process);
  while (state != 'S') {
    FILE *stat = fopen(name, "r");
    if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
      _exit(1);
    fclose(stat);
  }
}

// Another process locks the file, sends the signal once this one waits, and unlocks the file after the handler has run.
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
    wait_for(getppid());
    kill(getppid(), SIGALRM);
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
  signal(SIGALRM, handle);
  pid_t holder = lock();
  count(300);
  __gcov_dump();
  count(500);
  if (holder)
    waitpid(holder, NULL, 0);
  if (child)
    waitpid(child, NULL, 0);
  return 0;
}
