// A process that asks for a signal when its parent dies gets it behind the write, not in it: while it waits for the lock of the file,
// and in a handler too. Afterwards the signal is as it was.
// profrt: only-ours: the order of the steps depends on locks that the official archive takes in another way
// profrt: flags -fprofile-instr-generate
// profrt: variant merged
// profrt: run export LLVM_PROFILE_FILE=x-%m.profraw; main && main held x-*.profraw && bash $SRC/counts.sh counted=1 x-*.profraw
// profrt: variant one-file
// profrt: run export LLVM_PROFILE_FILE=x.profraw __LLVM_PROFILE_RT_INIT_ONCE=1; main && main held x.profraw && bash $SRC/counts.sh counted=1 x.profraw
// profrt: variant other-signal
// profrt: run export LLVM_PROFILE_FILE=x-%m.profraw; main && main held x-*.profraw term && bash $SRC/counts.sh counted=1 x-*.profraw
// profrt: variant parent-stays
// profrt: run main stays && bash $SRC/counts.sh counted=1 default.profraw
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function))

int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
int __llvm_profile_dump(void);

__attribute__((noinline)) void counted(void) { __asm__ volatile(""); }

// The file is locked as long as somebody has this descriptor open.
PLAIN static int lock(const char *name) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = open(name, O_RDWR);
  if (file < 0 || flock(file, LOCK_EX) || fcntl(file, F_OFD_SETLK, &whole))
    _exit(90);
  return file;
}

// Writes while its parent dies and the file is locked.
PLAIN static void child(int number) {
  prctl(PR_SET_PDEATHSIG, number);
  counted();
  __llvm_profile_dump();
  pause();
  _exit(91);
}

PLAIN static int held(const char *name, int number) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  __llvm_profile_reset_counters();
  int ready[2], status, file = lock(name);
  if (pipe(ready))
    return 92;
  pid_t parent = fork();
  if (!parent) {
    close(file);
    pid_t pid = fork();
    if (!pid)
      child(number);
    write(ready[1], &pid, sizeof pid);
    usleep(300000);
    _exit(0);
  }
  pid_t pid;
  read(ready[0], &pid, sizeof pid);
  waitpid(parent, &status, 0);
  // It waits for the lock now, and its parent is gone.
  usleep(200000);
  close(file);
  if (waitpid(pid, &status, 0) != pid)
    return 93;
  __llvm_profile_dump();
  if (!WIFSIGNALED(status) || WTERMSIG(status) != number)
    return printf("status %d\n", status), 94;
  return 0;
}

PLAIN static int stays(void) {
  int number = 0;
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  counted();
  __llvm_profile_write_file();
  prctl(PR_GET_PDEATHSIG, &number);
  return number != SIGUSR1;
}

PLAIN int main(int argc, char **argv) {
  if (argc > 2)
    return held(argv[2], argc > 3 ? SIGTERM : SIGKILL);
  return argc > 1 ? stays() : 0;
}
