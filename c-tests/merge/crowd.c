// Sixty-four processes that end at the same moment and share one file, or four: no count is lost. Some are killed meanwhile: only
// what those counted may be missing.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate -w
// profrt: object main.o
// profrt: object driver.o bare -DDRIVER
// profrt: program main main.o
// profrt: program driver driver.o bare
// profrt: variant all
// profrt: run LLVM_PROFILE_FILE=p/%m.profraw driver 64 0 > ends && $SRC/crowd.sh && rm -r p ends
// profrt: run LLVM_PROFILE_FILE=p/%4m.profraw driver 64 0 > ends && test $(ls p | wc -l) = 4 && $SRC/crowd.sh && rm -r p ends
// profrt: variant killed
// profrt: ours for seed in 1 2 3 4 5; do LLVM_PROFILE_FILE=p/%m.profraw driver 64 $seed > ends && $SRC/crowd.sh && rm -r p ends || exit; done
// profrt: ours for seed in 6 7; do LLVM_PROFILE_FILE=p/%4m.profraw driver 64 $seed > ends && $SRC/crowd.sh && rm -r p ends || exit; done
// profrt: variant killed-named-files
// profrt: clang 22..
// profrt: cflags -DNAMED
// profrt: ours for seed in 8 9; do LLVM_PROFILE_FILE=p/%m.profraw driver 64 $seed > ends && $SRC/crowd.sh && rm -r p ends || exit; done
// profrt: variant no-locks
// profrt: clang 22..
// profrt: cflags -DLOCKLESS
// profrt: ours for i in 1 2 3; do LLVM_PROFILE_FILE=p/%m.profraw driver 64 0 > ends 2> err && grep -q 'cannot be locked[.] ' err && $SRC/crowd.sh some && rm -r p ends err || exit; done
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef DRIVER
#include <signal.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  int number = atoi(argv[1]), seed = atoi(argv[2]), gate[2];
  pid_t pids[256];
  if (pipe(gate))
    return 1;
  for (int i = 0; i < number; i++)
    if (!(pids[i] = fork())) {
      char text[12], byte;
      snprintf(text, sizeof(text), "%d", i);
      close(gate[1]);
      if (read(gate[0], &byte, 1))
        _exit(1);
      execlp("main", "main", text, (char *)0);
      _exit(1);
    }
  close(gate[1]);
  srand(seed);
  for (int i = 0; seed && i < number / 2; i++) {
    usleep(rand() % 4000);
    kill(pids[rand() % number], SIGKILL);
  }
  for (int i = 0; i < number; i++) {
    int status;
    if (waitpid(pids[i], &status, 0) < 0 || status && (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL))
      return 2;
    printf("ended f%d %s\n", i, status ? "killed" : "well");
  }
  return 0;
}
#else
#include "interposed.h"

#define ONE(n) int f##n(int x) { return x; }
#define NAME(n) f##n,
#define DIGITS(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define ALL(M)                                                                                                         \
  M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) DIGITS(M, 1) DIGITS(M, 2) DIGITS(M, 3) DIGITS(M, 4) DIGITS(M, 5)     \
      M(60) M(61) M(62) M(63)
ALL(ONE)
static int (*const all[])(int) = {ALL(NAME)};

int main(int argc, char **argv) { return all[atoi(argv[1])](0); }
#endif
