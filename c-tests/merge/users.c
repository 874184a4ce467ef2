// Several users, or a sandbox, share a pool. Where a run may not replace the pool's file, it writes into it; where it may not do that either, its
// counts go to a plain profile beside it, with one line that names both. All files together have every count once.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate -w
// profrt: variant sticky-directory
// profrt: needs root: changes users
// profrt: ours $SRC/users.sh sticky-directory
// profrt: official LLVM=1 $SRC/users.sh sticky-directory
// profrt: variant other-owner
// profrt: needs root: changes users
// profrt: ours $SRC/users.sh other-owner
// profrt: official ! LLVM=1 $SRC/users.sh other-owner > /dev/null 2>&1 && rm -rf p
// profrt: variant daemon
// profrt: needs root: changes users
// profrt: ours $SRC/users.sh daemon
// profrt: official ! LLVM=1 $SRC/users.sh daemon > /dev/null 2>&1 && rm -rf p
// profrt: variant daemon-values
// profrt: needs root: changes users
// profrt: cflags -fno-profile-instr-generate -fprofile-generate
// profrt: ours VALUES=1 $SRC/users.sh daemon
// profrt: variant group-directory
// profrt: needs root setpriv: changes users
// profrt: ours $SRC/users.sh group-directory
// profrt: official ! LLVM=1 $SRC/users.sh group-directory > /dev/null 2>&1 && rm -rf p
// profrt: variant sandbox
// profrt: ours $SRC/users.sh sandbox
// profrt: official LLVM=1 $SRC/users.sh sandbox
// profrt: variant mount-point
// profrt: needs root mount: mounts a file over itself
// profrt: ours $SRC/users.sh mount-point
// profrt: official LLVM=1 $SRC/users.sh mount-point
// profrt: variant read-only-file
// profrt: needs root mount: mounts a file over itself
// profrt: ours $SRC/users.sh read-only-file
// profrt: official ! LLVM=1 $SRC/users.sh read-only-file > /dev/null 2>&1 && rm -rf p
// profrt: variant in-the-way
// profrt: needs root setpriv: changes users
// profrt: clang 22..
// profrt: ours $SRC/users.sh in-the-way
// profrt: variant small-process-number
// Process 1 of each container: the profiles of all stand behind each other.
// profrt: needs root mount unshare: makes a namespace of process numbers
// profrt: clang 22..
// profrt: ours export LLVM_PROFILE_FILE=p/%m.profraw; main; file=$(ls p/*) && rm $file && mkdir $file; for i in 1 2; do unshare -pf main one 2>told; grep -q 'the profile goes to' told || exit; done; bash $SRC/../run/counts.sh one=2 ${file%.profraw}-1.profraw && rm -r p told
// profrt: variant nothing-works
// profrt: needs root setpriv: changes users
// profrt: clang 22..
// profrt: ours $SRC/users.sh nothing-works
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

__attribute__((noinline)) void one(void) { __asm__ volatile(""); }
static void (*volatile function)(void) = one;

// May make, read and write files from here on, and neither remove nor rename them. Whether the kernel can do that.
static int sandbox(void) {
  uint64_t handled = 1 << 5;
  int rules = syscall(444, &handled, sizeof(handled), 0);
  return rules >= 0 && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(446, rules, 0);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (!strcmp(step, "one"))
      function();
    else if (!strcmp(step, "dump"))
      __llvm_profile_write_file();
    else if (!strcmp(step, "nobody")) {
      if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
        _exit(1);
    } else if (!strcmp(step, "sandbox")) {
      if (!sandbox())
        _exit(2);
    } else if (!strcmp(step, "fork")) {
      int status;
      pid_t child = fork();
      if (child > 0 && (wait(&status) != child || status != 7 << 8))
        _exit(1);
    }
  }
  return 7;
}
