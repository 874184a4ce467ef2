// Profiles without data and names: these stay in the debug information or in the binary.
// profrt: run LLVM_PROFILE_FILE=a.profraw main 4; LLVM_PROFILE_FILE=b.profraw main 5
// profrt: variant debug-info
// profrt: clang ..17
// profrt: flags -fprofile-generate -mllvm -debug-info-correlate -g -gdwarf-4
// profrt: profdata --debug-info={bin}/main
// profrt: variant debug-info-new
// profrt: clang 18..
// profrt: flags -fprofile-generate -mllvm -profile-correlate=debug-info -g
// profrt: profdata --debug-info={bin}/main
// profrt: variant binary
// profrt: clang 18..
// profrt: flags -fprofile-generate -mllvm -profile-correlate=binary
// profrt: profdata --binary-file={bin}/main
// profrt: variant binary-fe
// profrt: clang 19..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -mllvm -profile-correlate=binary
// profrt: profdata --binary-file={bin}/main
// profrt: variant debug-info-bytes
// profrt: clang 18..
// profrt: flags -fprofile-generate -mllvm -profile-correlate=debug-info -g -mllvm -pgo-function-entry-coverage
// profrt: profdata --debug-info={bin}/main
#include <stdio.h>

__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int unused(int n) { return n ? fib(n) : 1; }

int main(int argc, char **argv) {
  printf("%d\n", fib(argc + argv[argc - 1][0] % 8));
  return 0;
}
