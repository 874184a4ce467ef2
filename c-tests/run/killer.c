// killer N PROGRAM ARGUMENTS: runs the program and kills it at its Nth stop, which is before or behind a system call, in turn: the
// first is behind `execve`. Exit code 137, or that of a program that ends before. killer FILE PROGRAM ARGUMENTS: writes into the
// file how many stops there are. (strace can kill before a call only.) The program is loaded at the same addresses each time, where
// that can be had, so that equal profiles have equal bytes.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  long stop = atol(argv[1]), stops = 0;
  int status, signal = 0, started = 0;
  pid_t pid = fork();
  if (!pid) {
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(argv[2], argv + 2);
    _exit(99);
  }
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)) {
    perror("ptrace");
    return 98;
  }
  for (;;) {
    ptrace(PTRACE_SYSCALL, pid, 0, signal);
    if (waitpid(pid, &status, 0) != pid)
      return 98;
    if (!WIFSTOPPED(status))
      break;
    int why = WSTOPSIG(status), event = status >> 16;
    signal = why == (SIGTRAP | 0x80) || event ? 0 : why;
    started |= event == PTRACE_EVENT_EXEC;
    if (started && why == (SIGTRAP | 0x80) && ++stops == stop)
      kill(pid, SIGKILL);
  }
  if (!stop) {
    FILE *file = fopen(argv[1], "w");
    if (!file || fprintf(file, "%ld\n", stops) < 0 || fclose(file))
      return 98;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
