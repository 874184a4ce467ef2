// A handler forks while a write waits for the lock of its file. Parent and child do not take the lock together: no count is lost.
// (The child has its parent's counts.)
// profrt: flags -fprofile-instr-generate -w
// profrt: only-ours: LLVM's runtime keeps the lock in the child
// profrt: variant fork
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=3000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=3000 default.profraw || exit; done
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=2000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; LLVM_PROFILE_FORK=reset main default.profraw; bash $SRC/../run/counts.sh counted=2000 default.profraw || exit; done
// The child ends in the handler. Both processes want a signal when their parent dies.
// profrt: variant ended-in-handler
// profrt: clang 22..
// profrt: cflags -DEND
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw 2>err; bash $SRC/../run/counts.sh counted=1507 pool-*.profraw && ! test -s err && rm err pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; main default.profraw 2>err; bash $SRC/../run/counts.sh counted=2507 default.profraw && ! test -s err && rm err || exit; done
// The handler resets the counters, and counts.
// profrt: variant reset
// profrt: clang 22..
// profrt: cflags -DRESET
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=1007 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=1007 default.profraw || exit; done
// Without fork handlers.
// profrt: variant unseen-fork
// profrt: clang 22..
// profrt: cflags -DUNSEEN
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=3000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=3000 default.profraw || exit; done
// The handler leaves the wait: the write at exit has all counts.
// profrt: variant left
// profrt: clang 22..
// profrt: cflags -DLEAVE
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=1500 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=1500 default.profraw || exit; done
// Handlers reset the counters in each wait, and the lock is never released: the write ends nevertheless.
// profrt: variant reset-for-ever
// profrt: clang 22..
// profrt: cflags -DRESET -DFOR_EVER
// profrt: ours LLVM_PROFILE_FILE=pool-%m.profraw timeout 100 main pool-*.profraw 2>err && grep -q "is locked by another process" err
// The wait is that of the write at exit: no count is there twice, and no process hangs. (The child is in its exit already, and may write nothing.)
// profrt: variant at-exit
// profrt: clang 22..
// profrt: cflags -DAT_EXIT
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw timeout 60 main pool-*.profraw | cat; bash $SRC/../run/counts.sh counted=1000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; LLVM_PROFILE_FORK=reset timeout 60 main default.profraw | cat; bash $SRC/../run/counts.sh counted=1000 default.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; timeout 60 main default.profraw | cat; bash $SRC/../run/counts.sh counted=1000..2000 default.profraw || exit; done
// The same between two waits: signals come when the write has given back what it locked.
// profrt: variant at-exit-between
// profrt: clang 22..
// profrt: cflags -DAT_EXIT -DOFTEN=1
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw timeout 60 main pool-*.profraw | cat; bash $SRC/../run/counts.sh counted=1000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; LLVM_PROFILE_FORK=reset timeout 60 main default.profraw | cat; bash $SRC/../run/counts.sh counted=1000 default.profraw || exit; done
// The child ends in the handler, by `_exit` after a write of its own, which is told "busy" or has its counts, and its parent's: there are no
// fork handlers any more.
// profrt: variant at-exit-written
// profrt: clang 22..
// profrt: cflags -DAT_EXIT -DWRITE
// profrt: ours for i in $(seq 4); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw timeout 60 main pool-*.profraw 2>err | cat; bash $SRC/../run/counts.sh counted=1000..2007 pool-*.profraw && rm err pool-*.profraw || exit; done
// profrt: ours for i in $(seq 4); do rm -f default.profraw; LLVM_PROFILE_FORK=reset timeout 60 main default.profraw 2>err | cat; bash $SRC/../run/counts.sh counted=1000..2007 default.profraw && rm err || exit; done
#define _GNU_SOURCE
#include "../run/lock_holder.h"
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);

static volatile pid_t child;
static sigjmp_buf before_write;

__attribute__((noinline)) void counted(void) {}

pid_t _Fork(void) __attribute__((weak));

static void count(int n) {
  while (n--)
    counted();
}

static void handle(int signal, siginfo_t *info, void *interrupted) {
  if (OFTEN && child)
    return;
#ifdef __x86_64__
  // Only where `sigprocmask` lets signals in.
  greg_t *registers = ((ucontext_t *)interrupted)->uc_mcontext.gregs;
  if (OFTEN && (registers[REG_RAX] != 0 || registers[REG_RDI] != SIG_SETMASK))
    return;
#endif
#ifdef RESET
  __llvm_profile_reset_counters();
  count(7);
#ifndef FOR_EVER
  write(release[1], "", 1);
#endif
  return;
#endif
#ifdef LEAVE
  write(release[1], "", 1);
  siglongjmp(before_write, 1);
#endif
#ifdef UNSEEN
  child = _Fork ? _Fork() : fork();
#else
  child = fork();
#endif
  // In the child, too: a byte more does no harm.
  write(release[1], "", 1);
#ifdef WRITE
  if (!child) {
    count(7);
    __llvm_profile_write_file();
    _exit(0);
  }
#endif
#ifdef END
  if (!child) {
    count(7);
    exit(0);
  }
#endif
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  count(500);
  __llvm_profile_write_file();
  sigaction(SIGALRM, &(struct sigaction){.sa_sigaction = handle, .sa_flags = SA_SIGINFO}, 0);
  glob_t found;
  if (glob(argv[1], 0, 0, &found))
    return 1;
  pid_t holder = lock(found.gl_pathv[0]);
  count(500);
#ifdef AT_EXIT
  return 0;
#endif
#ifdef FOR_EVER
  struct itimerval often = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &often, 0);
#endif
  int failed = 0;
  if (!sigsetjmp(before_write, 1))
    failed = __llvm_profile_write_file();
#ifdef FOR_EVER
  _exit(failed);
#endif
  count(500);
  waitpid(holder, 0, 0);
  if (child)
    waitpid(child, 0, 0);
  return 0;
}
