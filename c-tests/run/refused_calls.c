// A filter of system calls (seccomp) that refuses one of them, which the program installs itself: it writes three times, and every count is
// there once.
// profrt: only-ours: the official archive counts a second write again
// profrt: flags -fprofile-instr-generate
// profrt: variant remove
// profrt: cflags -DREFUSED=SYS_unlinkat
// The file that was exchanged cannot be removed.
// profrt: ours for e in 1 13 22 38; do for name in x.profraw x%m.profraw; do LLVM_PROFILE_FILE=$name main $e || exit; test $(ls -A | wc -l) = 1 && bash $SRC/counts.sh work=4 x*.profraw || exit; rm x*; done; done; main 0
// profrt: variant lock
// profrt: cflags -DREFUSED=SYS_fcntl
// Locks are impossible then, and not held by somebody: nobody is waited for, and no other file is taken.
// profrt: ours for e in 1 13 22 38; do for name in x.profraw x%m.profraw; do LLVM_PROFILE_FILE=$name main $e || exit; test $(ls -A | wc -l) = 1 && bash $SRC/counts.sh work=4 x*.profraw || exit; rm x*; done; done; main 0
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int __llvm_profile_write_file(void);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

static int refuse(int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
  int error = argc > 1 ? atoi(argv[1]) : 0;
  if (error && refuse(error))
    return 9;
  work();
  int failed = __llvm_profile_write_file();
  work();
  failed |= __llvm_profile_write_file();
  work();
  work();
  return failed ? 7 : 0;
}
