// What is not ours to merge is left alone, byte for byte: a plain profile is written beside it, `NAME-PID.profraw`, and one line names both and
// the reason.
// profrt: only-ours: LLVM's runtime loses the profile, or merges into what is damaged
// profrt: no-profile
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -w
// profrt: object main.o
// profrt: object other.o -DOTHER
// profrt: program main main.o
// profrt: program other other.o
// profrt: variant damaged
// profrt: run $SRC/beside.sh damaged
// profrt: variant damaged-values
// profrt: cflags -fno-profile-instr-generate -fprofile-generate
// profrt: run $SRC/beside.sh damaged
// profrt: variant foreign
// profrt: run $SRC/beside.sh foreign
// profrt: variant other-version
// Of an archive for another raw version: readers take one in a file.
// profrt: run main; printf '\013' | dd of=default.profraw bs=1 seek=8 conv=notrunc status=none; cp default.profraw old; __LLVM_PROFILE_RT_INIT_ONCE=1 main 2>told; test $(wc -l <told) = 1 && grep -q '"default.profraw" cannot be written: the raw versions differ, the profile goes to "default-' told && cmp old default.profraw && $PROFDATA show default-* && rm old told default*
// profrt: variant other-user
// profrt: needs root setpriv: changes users
// profrt: run $SRC/beside.sh other_user
// profrt: variant locked
// profrt: cflags -DIMPATIENT
// profrt: run $SRC/beside.sh locked
// profrt: variant locked-after-a-write
// What a plain file has from this process is not written beside it once more.
// profrt: cflags -DIMPATIENT
// profrt: run LLVM_PROFILE_FILE=x.profraw main; bash $SRC/../run/counts.sh one=1 x.profraw && bash $SRC/../run/counts.sh one=1 x-*.profraw && rm x*.profraw
// profrt: variant mounted
// profrt: needs root mount: mounts a file over itself
// profrt: run $SRC/beside.sh mounted
// profrt: variant several-writes
// profrt: run $SRC/beside.sh several_writes
// profrt: variant continuous
// Where the program cannot map its counters, too.
// profrt: run $SRC/beside.sh continuous
#include "interposed.h"
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

int __llvm_profile_write_file(void);

#ifdef OTHER
int other(void) { return 1; }
#endif
__attribute__((noinline)) void one(void) { __asm__ volatile(""); }
static void (*volatile function)(void) = one;

// Writes, and has a child lock the file until this process has ended.
static int locked_after_a_write(void) {
  int pipes[2];
  struct flock all = {.l_type = F_WRLCK};
  char byte;
  function();
  if (__llvm_profile_write_file() || pipe(pipes))
    return 1;
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fcntl(open("x.profraw", O_RDWR), F_SETLK, &all) == 0)
      write(pipes[1], "", 1);
    for (;;)
      pause();
  }
  function();
  return read(pipes[0], &byte, 1) == 1 ? 7 : 1;
}

// Prints its process number.
int main(int argc, char **argv) {
  if (getenv("LLVM_PROFILE_FILE") && !strcmp(getenv("LLVM_PROFILE_FILE"), "x.profraw"))
    return locked_after_a_write();
  if (argc > 2) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(argv[2], O_RDWR);
    if (fcntl(fd, F_SETLK, &all) || open("held", O_CREAT | O_RDWR, 0600) < 0)
      _exit(1);
    alarm(60);
    for (;;)
      pause();
  }
  printf("%d\n", (int)getpid());
  function();
  if (argc > 1)
    for (int i = 0; i < 2; i++) {
      if (__llvm_profile_write_file())
        return 1;
      function();
    }
  return 7;
}
