// Temporal profiles are merged: each function keeps the earliest of its times. LLVM refuses.
// profrt: clang 17..
// profrt: no-profile
// profrt: flags -fprofile-generate -mllvm -pgo-temporal-instrumentation -w
// profrt: ours for how in all d never; do LLVM_PROFILE_FILE=d/%m.profraw main $how || exit; done; $PROFDATA show --temporal-profile-traces d/* | sed -n 's/^    //p' | paste -sd ' ' > order && cat order && rm -r d && { grep -qx 'main d a b c e' order || grep -qx 'main a d b c e' order; } && rm order
// profrt: ours for how in d all; do LLVM_PROFILE_FILE=d/%m.profraw main $how || exit; done; $PROFDATA show --temporal-profile-traces d/* | sed -n 's/^    //p' | paste -sd ' ' > order && cat order && rm -r d && { grep -qx 'main d a b c e' order || grep -qx 'main a d b c e' order; } && rm order
// profrt: ours for how in all d; do LLVM_PROFILE_FILE=d/%m.profraw main $how || exit; done; $PROFDATA merge --text d/* -o - | grep -A6 '^d$' | sed -n 5,6p > count; rm -r d; cat count; grep -qx '[12]' count && rm count
// profrt: official LLVM_PROFILE_FILE=d/%m.profraw main all; LLVM_PROFILE_FILE=d/%m.profraw main d 2> err; grep -q 'do not support profile merging' err && rm -r d err
#include <string.h>
__attribute__((noinline)) int a(int x) { return x + 1; }
__attribute__((noinline)) int b(int x) { return x + 2; }
__attribute__((noinline)) int c(int x) { return x + 3; }
__attribute__((noinline)) int d(int x) { return x + 4; }
__attribute__((noinline)) int e(int x) { return x + 5; }
int main(int argc, char **argv) {
  if (!strcmp(argv[1], "d"))
    return d(argc) < 0;
  if (!strcmp(argv[1], "all"))
    return a(argc) + b(argc) + c(argc) + d(argc) + e(argc) < 0;
  return 0;
}
