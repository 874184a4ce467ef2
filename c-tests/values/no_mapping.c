// Threads that die at `mmap`, by a filter: without nodes from mapped pages no hook maps anything, and each count of a value that has a node
// arrives.
// profrt: flags -fprofile-generate -w -pthread
// profrt: only-ours: LLVM's runtime loses counts of two threads
// profrt: run LLVM_PROFILE_FILE=x.profraw PROFRT_MAX_VALUE_NODES=0 main 2>told && $PROFDATA show --all-functions --ic-targets x.profraw >shown && test $(awk -F, '/^\t\[.*count_[ab]/ { sum += $3 } END { print sum }' shown) = 4000200 && rm told shown
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int count_a(int x) { return x + 1; }
static int count_b(int x) { return x + 2; }
static int (*volatile ops[])(int) = {count_a, count_b};

__attribute__((noinline)) static int site(int i) { return ops[i & 1](i); }

static void *work(void *unused) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    exit(3);
  for (int i = 0; i < 2000000; i++)
    site(i);
  return NULL;
}

int main(void) {
  // The values get their nodes, of those that the compiler has reserved.
  for (int i = 0; i < 200; i++)
    site(i);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
