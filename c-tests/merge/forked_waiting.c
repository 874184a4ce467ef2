// A handler forks while a write waits for the lock of its file. Parent and child do not take the lock together: no count is lost.
// (The child has its parent's counts.)
// profrt: flags -fprofile-instr-generate -w
// profrt: only-ours: LLVM's runtime keeps the lock in the child
// profrt: variant fork
// profrt: ours for i in $(seq 10); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=3000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 10); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=3000 default.profraw || exit; done
// profrt: ours for i in $(seq 10); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=2000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 10); do rm -f default.profraw; LLVM_PROFILE_FORK=reset main default.profraw; bash $SRC/../run/counts.sh counted=2000 default.profraw || exit; done
// The child ends in the handler. Both processes want a signal when their parent dies.
// profrt: variant ended-in-handler
// profrt: clang 22..
// profrt: cflags -DEND
// profrt: ours for i in $(seq 10); do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw 2>err; bash $SRC/../run/counts.sh counted=1507 pool-*.profraw && ! test -s err && rm err pool-*.profraw || exit; done
// profrt: ours for i in $(seq 10); do rm -f default.profraw; main default.profraw 2>err; bash $SRC/../run/counts.sh counted=2507 default.profraw && ! test -s err && rm err || exit; done
// The handler resets the counters, and counts.
// profrt: variant reset
// profrt: clang 22..
// profrt: cflags -DRESET
// profrt: ours for i in $(seq 10); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=1007 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 10); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=1007 default.profraw || exit; done
// Without fork handlers.
// profrt: variant unseen-fork
// profrt: clang 22..
// profrt: cflags -DUNSEEN
// profrt: ours for i in $(seq 10); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=3000 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 10); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=3000 default.profraw || exit; done
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);

static int release[2];
static volatile pid_t child;

__attribute__((noinline)) void counted(void) {}

pid_t _Fork(void) __attribute__((weak));

static void count(int n) {
  while (n--)
    counted();
}

static void handle(int signal) {
#ifdef RESET
  __llvm_profile_reset_counters();
  count(7);
  write(release[1], "", 1);
  return;
#endif
#ifdef UNSEEN
  child = _Fork ? _Fork() : fork();
#else
  child = fork();
#endif
  // In the child, too: a byte more does no harm.
  write(release[1], "", 1);
#ifdef END
  if (!child) {
    count(7);
    exit(0);
  }
#endif
}

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

// Another process locks the file, sends the signal once this one waits, and unlocks the file after the handler has run.
static pid_t lock(const char *name) {
  int ready[2];
  char byte;
  glob_t found;
  if (glob(name, 0, 0, &found) || pipe(ready) || pipe(release))
    _exit(1);
  pid_t holder = fork();
  if (!holder) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(found.gl_pathv[0], O_RDWR);
    if (fd < 0 || fcntl(fd, 37, &all))
      _exit(1);
    write(ready[1], "", 1);
    wait_for(getppid());
    kill(getppid(), SIGALRM);
    read(release[0], &byte, 1);
    _exit(0);
  }
  read(ready[0], &byte, 1);
  return holder;
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  count(500);
  __llvm_profile_write_file();
  signal(SIGALRM, handle);
  pid_t holder = lock(argv[1]);
  count(500);
  __llvm_profile_write_file();
  count(500);
  waitpid(holder, 0, 0);
  if (child)
    waitpid(child, 0, 0);
  return 0;
}
