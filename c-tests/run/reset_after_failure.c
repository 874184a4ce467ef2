// A write that fails, after it has been prepared twice (there are no files without names), a reset, and a write that succeeds: it has no counts from
// before the reset.
// profrt: only-ours: LLVM's runtime overwrites what it finds
// profrt: flags -fprofile-instr-generate
// profrt: cflags -DNAMED
// profrt: no-profile
// profrt: ours for name in x.profraw x%m.profraw; do LLVM_PROFILE_FILE=$name main 2>err; test $? = 7 && bash $SRC/counts.sh work=0 x*.profraw && rm x* err || exit; done
#include "../merge/interposed.h"
#include <sys/resource.h>

int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

int main(void) {
  struct rlimit small = {16, 1 << 20}, large = {1 << 20, 1 << 20};
  work();
  int failed = setrlimit(RLIMIT_FSIZE, &small) || __llvm_profile_write_file() == 0 || setrlimit(RLIMIT_FSIZE, &large);
  __llvm_profile_reset_counters();
  failed |= __llvm_profile_write_file();
  _exit(failed ? 9 : 7);
}
