// A handler forks while a write waits for the lock of its file. Parent and child do not take the lock together: no count is lost.
// (The child has its parent's counts.)
// profrt: flags -fprofile-instr-generate -w
// profrt: only-ours: LLVM's runtime keeps the lock in the child
// profrt: ours for i in $(seq 20); do LLVM_PROFILE_FILE=pool-%m.profraw main pool-*.profraw; bash $SRC/../run/counts.sh counted=2500 pool-*.profraw && rm pool-*.profraw || exit; done
// profrt: ours for i in $(seq 20); do rm -f default.profraw; main default.profraw; bash $SRC/../run/counts.sh counted=3000 default.profraw || exit; done
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

static int release[2];
static volatile pid_t child;

__attribute__((noinline)) void counted(void) {}

static void fork_now(int signal) {
  child = fork();
  // In the child, too: a byte more does no harm.
  write(release[1], "", 1);
}

static void count(int n) {
  while (n--)
    counted();
}

// Another process locks the file until the handler has run.
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
    read(release[0], &byte, 1);
    _exit(0);
  }
  read(ready[0], &byte, 1);
  return holder;
}

int main(int argc, char **argv) {
  count(500);
  __llvm_profile_write_file();
  struct itimerval soon = {.it_value.tv_usec = 30000};
  signal(SIGALRM, fork_now);
  pid_t holder = lock(argv[1]);
  count(500);
  setitimer(ITIMER_REAL, &soon, 0);
  __llvm_profile_write_file();
  count(500);
  waitpid(holder, 0, 0);
  if (child)
    waitpid(child, 0, 0);
  return 0;
}
