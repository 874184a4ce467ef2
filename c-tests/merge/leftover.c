// Temporary files that a killed writer has left, which `llvm-profdata merge DIR` would count: the next writer of the directory removes
// them, and nothing else.
// profrt: no-profile
// profrt: only-ours: the official archive writes in place and has no temporary files
// profrt: flags -fprofile-instr-generate -w
// profrt: clang 22..
// profrt: variant removed
// profrt: run $SRC/leftover.sh removed
// profrt: variant removed-named-files
// profrt: cflags -DNAMED
// profrt: run $SRC/leftover.sh removed
// profrt: variant no-random-bytes
// profrt: cflags -DNAMED -DNORANDOM
// profrt: run $SRC/leftover.sh removed
// profrt: variant kept
// profrt: run $SRC/leftover.sh kept
// profrt: variant without-locks
// profrt: cflags -DLOCKLESS
// profrt: run $SRC/leftover.sh without-locks
// profrt: variant other-users
// profrt: needs root setpriv: changes users
// profrt: run $SRC/leftover.sh other-users
// profrt: variant sandbox
// profrt: run $SRC/leftover.sh sandbox
// profrt: variant sandbox-named-files
// profrt: cflags -DNAMED
// profrt: run $SRC/leftover.sh sandbox
// profrt: variant crowd
// profrt: cflags -DNAMED
// profrt: run $SRC/leftover.sh crowd
#include "interposed.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

__attribute__((noinline)) void one(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "hold")) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(argv[2], O_RDWR);
    if (fcntl(fd, 37, &all) || open("held", O_CREAT | O_RDWR, 0600) < 0)
      _exit(1);
    alarm(30);
    for (;;)
      pause();
  }
  if (argc > 1 && !strcmp(argv[1], "sandbox")) {
    uint64_t handled = 1 << 5;
    int rules = syscall(444, &handled, sizeof(handled), 0);
    if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(446, rules, 0))
      _exit(2);
  }
  one();
  return 7;
}
