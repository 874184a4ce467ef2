// A filter of system calls that refuses every link and every rename, as some sandboxes do: the last way to a file is LLVM's, which writes it in
// place. The profile is there once, with no line, and nothing is beside it.
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: clang 22..
// profrt: variant new-file
// profrt: run for e in 38 95 1 13; do LLVM_PROFILE_FILE=x.profraw main $e 2>told; test $? = 7 && test "$(ls -A | xargs)" = "told x.profraw" && test ! -s told && bash $SRC/counts.sh work=1 x.profraw && rm x.profraw told || exit; done
// profrt: variant child
// Another process of the run has written before.
// profrt: run export __LLVM_PROFILE_RT_INIT_ONCE=1; for e in 38 95 1 13; do for n in 0 $e $e; do LLVM_PROFILE_FILE=x.profraw main $n 2>told; test $? = 7 && test ! -s told || exit; done; test "$(ls -A | xargs)" = "told x.profraw" && bash $SRC/counts.sh work=3 x.profraw && rm x.profraw told || exit; done
// profrt: variant pool
// profrt: run for e in 38 95 1 13; do for n in $e 0 $e; do LLVM_PROFILE_FILE=%m.profraw main $n 2>told; test $? = 7 && test ! -s told || exit; done; test "$(ls -A *.profraw | wc -l)" = 1 && test $(ls -A | wc -l) = 2 && bash $SRC/counts.sh work=3 *.profraw && rm *.profraw told || exit; done
// profrt: variant dumps
// profrt: only-ours: LLVM's runtime counts a second write again
// profrt: run for e in 38 95; do for name in x.profraw %m.profraw; do LLVM_PROFILE_FILE=$name main $e dump 2>told; test $? = 7 && test $(ls -A | wc -l) = 2 && test ! -s told && bash $SRC/counts.sh work=3 *.profraw && rm *.profraw told || exit; done; done
// profrt: variant continuous
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: object main.o
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for e in 38 95; do LLVM_PROFILE_FILE=x%c.profraw main $e 2>told; test $? = 7 && test $(ls -A | wc -l) = 2 && bash $SRC/counts.sh work=1 *.profraw && rm *.profraw told || exit; done
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int __llvm_profile_write_file(void);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error)

static int refuse(int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_link),
      REFUSE(SYS_linkat),
      REFUSE(SYS_rename),
      REFUSE(SYS_renameat),
      REFUSE(SYS_renameat2),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
  int error = atoi(argv[1]);
  if (error && refuse(error))
    return 9;
  work();
  if (argc > 2) {
    for (int i = 0; i < 2; i++) {
      if (__llvm_profile_write_file())
        return 8;
      work();
    }
  }
  return 7;
}
