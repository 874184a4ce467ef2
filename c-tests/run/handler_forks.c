// A signal handler forks at any moment of a write, or a little later: parent and child write what they have counted, each once. (With
// LLVM_PROFILE_FORK=inherit, the child has its parent's counts, too.)
// profrt: flags -fprofile-instr-generate -w
// profrt: only-ours: LLVM's runtime writes the file of both at once
// profrt: variant new-file
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=$u.profraw main $u; done; bash $SRC/counts.sh counted=23200 *.profraw
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do LLVM_PROFILE_FILE=$u.profraw main $u; done; bash $SRC/counts.sh counted=37700 *.profraw
// profrt: variant old-file
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do main $u; cp default.profraw $u.profraw; done; rm default.profraw; bash $SRC/counts.sh counted=37700 *.profraw
// profrt: variant pool
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=%m.profraw main $u; done; bash $SRC/counts.sh counted=23200 *.profraw
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do LLVM_PROFILE_FILE=%m.profraw main $u; done; bash $SRC/counts.sh counted=37700 *.profraw
// The child ends in the handler.
// profrt: variant pool-ended-in-handler
// profrt: cflags -DEND
// profrt: ours rm -f *.profraw; for u in $(seq 20 10 300); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=%m.profraw main $u 2>> err; done; bash $SRC/counts.sh counted=23200 *.profraw && ! test -s err && rm err
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

static volatile int forked;
static volatile pid_t child;

__attribute__((noinline)) void counted(void) {}

static void count(int n) {
  while (n--)
    counted();
}

static void fork_now(int signal) {
  child = fork();
  forked = 1;
#ifdef END
  if (!child) {
    count(300);
    exit(0);
  }
#endif
}

int main(int argc, char **argv) {
  struct itimerval soon = {.it_value.tv_usec = atoi(argv[1])};
  signal(SIGALRM, fork_now);
  count(500);
  setitimer(ITIMER_REAL, &soon, 0);
  __llvm_profile_write_file();
  // The timer may end after the write.
  while (!forked) {
  }
  if (child == 0) {
    count(300);
    return 0;
  }
  waitpid(child, 0, 0);
  return 0;
}
