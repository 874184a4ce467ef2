// A program forks all the time, and a signal's handler writes the profile, also inside `fork`, where the C library holds its lock of the
// handlers of forks: nothing in a write waits for that lock, so every round ends.
// profrt: only-ours: the official archive allocates while it writes, and may wait for the lock of the heap
// profrt: flags -fprofile-instr-generate
// profrt: lflags -pthread
// profrt: variant first-write
// Many processes, for it is the first write of each that would register something.
// profrt: run LLVM_PROFILE_FILE=x.profraw main 400
// profrt: variant library
// profrt: flags -fPIC
// profrt: object main.o -DPROGRAM
// profrt: object lib.o -DLIBRARY
// profrt: shared liblib.so lib.o
// profrt: program main main.o liblib.so
// profrt: run LLVM_PROFILE_FILE=x-%m.profraw main 400
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function))

int __llvm_profile_write_file(void);
int write_part(void);

#ifndef PROGRAM
int write_part(void) { return __llvm_profile_write_file(); }
#endif
#ifndef LIBRARY
static volatile sig_atomic_t written;

PLAIN static void tick(int number) {
  int kept = errno;
  (void)number;
  write_part();
  written++;
  errno = kept;
}

PLAIN static void *idle(void *unused) {
  pause();
  return unused;
}

// Forks until a handler has written, in a process with a second thread.
PLAIN static void forks(int round) {
  pthread_t thread;
  pthread_create(&thread, 0, idle, 0);
  struct sigaction action = {.sa_handler = tick};
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 0}, {0, 20 + round * 7 % 400}};
  setitimer(ITIMER_REAL, &timer, 0);
  while (!written) {
    pid_t pid = fork();
    if (!pid)
      _exit(0);
    while (pid > 0 && waitpid(pid, 0, 0) < 0 && errno == EINTR)
      ;
  }
  _exit(0);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1, hung = 0;
  for (int round = 0; round < rounds && hung < 3; round++) {
    pid_t pid = fork();
    if (!pid)
      forks(round);
    // Ten seconds.
    int left = 10000;
    while (waitpid(pid, 0, WNOHANG) == 0 && left-- > 0)
      usleep(1000);
    if (left <= 0) {
      hung++;
      kill(pid, SIGKILL);
      waitpid(pid, 0, 0);
    }
  }
  if (hung)
    printf("%d rounds hung\n", hung);
  return hung != 0;
}
#endif
