// A signal whose handler forks comes during a dump: in the child, too, the thread is in the end as it was before the dump.
// profrt: flags -fprofile-instr-generate
// profrt: lflags -pthread
// profrt: only-ours: LLVM's archive keeps no signals back while it writes
// profrt: needs strace: it holds the thread back while it is inside
// profrt: ours export LLVM_PROFILE_FILE=x%m.profraw; main; LLVM_PROFILE_DUMP_SIGNALS=TERM timeout 20 strace -f -o /dev/null -e trace=/^rename -e inject=/^rename:delay_enter=300000 main
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

static volatile pid_t forked = -1;

static void fork_now(int signal) { forked = fork(); }

static void *nothing(void *unused) {
  pause();
  return 0;
}

// Whether the thread is kept from anything.
static int kept(void) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, 0, &blocked);
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  return sigismember(&blocked, SIGTERM) || state != PTHREAD_CANCEL_ENABLE;
}

int main(void) {
  // A process with threads tells its own locks from its parent's.
  pthread_t thread;
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, 0);
  pthread_create(&thread, 0, nothing, 0);
  pthread_sigmask(SIG_UNBLOCK, &alarm, 0);
  signal(SIGALRM, fork_now);
  struct itimerval soon = {.it_value = {.tv_usec = 100000}};
  setitimer(ITIMER_REAL, &soon, 0);
  __llvm_profile_write_file();
  if (forked == 0)
    _exit(kept() ? 3 : 0);
  int status = 1;
  if (forked < 0 || waitpid(forked, &status, 0) != forked)
    return 2;
  return kept() || status ? 1 : 0;
}
