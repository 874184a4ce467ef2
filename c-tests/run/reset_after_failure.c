// A write that fails, after it has been prepared twice (no files without names there), a reset, and a write that succeeds: it has no counts from
// before the reset.
// profrt: only-ours: LLVM's runtime overwrites what it finds
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: ours for name in x.profraw x%m.profraw; do LLVM_PROFILE_FILE=$name main 2>err; test $? = 7 && bash $SRC/counts.sh work=0 x*.profraw && rm x* err || exit; done
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

int main(void) {
  struct sock_filter filter[] = {
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      LOAD(args[2]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 95),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  struct rlimit small = {16, 1 << 20}, large = {1 << 20, 1 << 20};
  int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  work();
  failed |= setrlimit(RLIMIT_FSIZE, &small) || __llvm_profile_write_file() == 0 || setrlimit(RLIMIT_FSIZE, &large);
  __llvm_profile_reset_counters();
  failed |= __llvm_profile_write_file();
  _exit(failed ? 9 : 7);
}
