// Files of other users, and programs with more or less rights than their caller: what the tests of raw profiles check (`run/hostile`,
// `run/setuid`, `merge/users`), for `.gcda` files.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o
// profrt: only-ours: LLVM's runtime writes into the file that is there, with the rights that it has
// profrt: variant owner
// profrt: needs root setpriv: runs as two ordinary users
// profrt: run $SRC/hostile.sh owner
// profrt: variant owner-named-files
// profrt: needs root setpriv: runs as two ordinary users
// profrt: clang 22..
// profrt: cflags -DNAMED
// profrt: run $SRC/hostile.sh owner
// profrt: variant links
// profrt: needs root setpriv: runs as two ordinary users
// profrt: clang 22..
// profrt: run $SRC/hostile.sh links
// profrt: variant rebuilt
// profrt: needs root setpriv: runs as two ordinary users
// profrt: run $SRC/hostile.sh rebuilt
// profrt: variant in-the-way
// profrt: clang 22..
// profrt: run $SRC/hostile.sh in_the_way
// profrt: variant users
// profrt: needs root setpriv: runs as several users
// profrt: clang 22..
// profrt: run $SRC/hostile.sh users
// profrt: variant mounted
// profrt: needs root mount: mounts a file over itself
// profrt: clang 22..
// profrt: run $SRC/hostile.sh mounted
// profrt: variant sandbox
// profrt: clang 22..
// profrt: run $SRC/hostile.sh sandbox
// profrt: variant set-uid
// profrt: needs root: a set-uid program of another owner
// profrt: run $SRC/hostile.sh set_uid
#define _GNU_SOURCE
#include "../merge/interposed.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

void __gcov_dump(void);

// The first function of the file, so that `counters.sh FILE 1` prints its count.
__attribute__((noinline)) int counted(int n) { return n; }

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (!strcmp(step, "count")) {
      counted(i);
    } else if (!strcmp(step, "dump")) {
      __gcov_dump();
    } else if (!strcmp(step, "exec")) {
      execlp("true", "true", (char *)NULL);
    } else if (!strcmp(step, "exec-fails")) {
      execlp("/nonexistent", "nonexistent", (char *)NULL);
    } else if (!strcmp(step, "nobody")) {
      if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
        _exit(1);
    } else if (!strcmp(step, "sandbox")) {
      // May make, read and write files from here on, and neither remove nor rename them.
      uint64_t handled = 1 << 5;
      int rules = syscall(444, &handled, sizeof(handled), 0);
      if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(446, rules, 0))
        _exit(2);
    } else if (!strcmp(step, "hold")) {
      struct flock all = {.l_type = F_WRLCK};
      int fd = open(argv[i + 1], O_RDWR);
      if (fcntl(fd, 37, &all) || open("held", O_CREAT | O_RDWR, 0600) < 0)
        _exit(1);
      alarm(30);
      for (;;)
        pause();
    }
  }
  return 7;
}
