// ended PROGRAM ARGS: runs a program and prints how it ended, which a shell cannot tell from an exit code of 128 and more.
// When it is stopped, that is printed too, and it is sent SIGCONT.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argc;
  pid_t child = fork();
  if (!child) {
    setpgid(0, 0);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
    printf("stopped by %d\n", WSTOPSIG(status));
    fflush(stdout);
    kill(child, SIGCONT);
  }
  if (WIFSIGNALED(status))
    printf("signal %d\n", WTERMSIG(status));
  else
    printf("exit %d\n", WEXITSTATUS(status));
  return 0;
}
