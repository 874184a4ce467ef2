// Another process that locks a file, to interrupt a write while it waits for that lock.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// A byte here ends the lock.
static int release[2];

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

#ifndef OFTEN
#define OFTEN 0
#endif

// Another process locks the file, sends SIGALRM once this one waits (`OFTEN`: again and again), and unlocks the file after `release` has a byte, or
// this one has ended.
static pid_t lock(const char *file) {
  int ready[2];
  char byte;
  if (pipe(ready) || pipe(release))
    _exit(1);
  pid_t holder = fork();
  if (!holder) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(file, O_RDWR);
    if (fd < 0 || fcntl(fd, 37, &all))
      _exit(1);
    close(ready[0]);
    close(release[1]);
    write(ready[1], "", 1);
    wait_for(getppid());
    do
      kill(getppid(), SIGALRM);
    while (OFTEN && !poll(&(struct pollfd){release[0], POLLIN}, 1, 0));
    read(release[0], &byte, 1);
    _exit(0);
  }
  close(ready[1]);
  read(ready[0], &byte, 1);
  close(ready[0]);
  return holder;
}
