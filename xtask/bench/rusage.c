// Runs a command TIMES times with its standard output thrown away, and prints nanoseconds of CPU time (the mean) and from start to end (the
// median), and the peak of its memory in KiB.
//
// A small program of its own, because a process begins with the memory of the one that forks it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static long nanos(struct timeval time) { return time.tv_sec * 1000000000L + time.tv_usec * 1000L; }

static int ascending(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv, char **environment) {
  if (argc < 3)
    return 2;
  int times = atoi(argv[1]);
  long *walls = calloc(times, sizeof *walls), cpu = 0, peak = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (int i = 0; i < times; i++) {
    pid_t child;
    int status;
    struct rusage used;
    long start = now();
    if (posix_spawnp(&child, argv[2], &actions, 0, argv + 2, environment) || wait4(child, &status, 0, &used) != child)
      return 3;
    walls[i] = now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
      return 4;
    cpu += nanos(used.ru_utime) + nanos(used.ru_stime);
    peak = used.ru_maxrss > peak ? used.ru_maxrss : peak;
  }
  qsort(walls, times, sizeof *walls, ascending);
  printf("%ld %ld %ld\n", cpu / times, walls[times / 2], peak);
  return 0;
}
