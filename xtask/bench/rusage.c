// Runs a command with its standard output thrown away, and prints what it used: microseconds in user mode, in the system, and
// from start to end, and the peak of its memory in KiB.
//
// A small program of its own, because a process begins with the memory of the one that forks it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static long micros(struct timeval time) { return time.tv_sec * 1000000 + time.tv_usec; }

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  long start = now();
  pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), 1);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child)
    return 2;
  long wall = now() - start;
  printf("%ld %ld %ld %ld\n", micros(used.ru_utime), micros(used.ru_stime), wall, used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
