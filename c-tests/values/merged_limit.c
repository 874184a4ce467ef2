// Three runs with a limit of two values a site, each with two other ones, in one file: ours keeps what all of them have seen, LLVM's
// what is left of it in two places.
// profrt: flags -fprofile-generate -w
// profrt: lflags -no-pie
// profrt: not mapped all: the file of continuous mode is taken over by the next run, which then holds as many values as a file can
// profrt: differs sections, merge: the limit is for what a run sees; COMPATIBILITY: value limit
// profrt: run for i in 0 2 4; do LLVM_VP_MAX_NUM_VALS_PER_SITE=2 LLVM_PROFILE_FILE=pool-%m.profraw main $i; done
// profrt: ours test $($PROFDATA show --function=work --ic-targets pool-*.profraw | grep -c '^\s*\[ *0,') = 6
// profrt: official test $($PROFDATA show --function=work --ic-targets pool-*.profraw | grep -c '^\s*\[ *0,') = 2
#include <stdlib.h>

#define F(n) static int f##n(int x) { return x + n; }
F(0) F(1) F(2) F(3) F(4) F(5)
static int (*volatile targets[])(int) = {f0, f1, f2, f3, f4, f5};

__attribute__((noinline)) int work(int which) { return targets[which](which); }

int main(int argc, char **argv) {
  int first = atoi(argv[argc - 1]), sum = 0;
  for (int i = 0; i < 20; i++)
    sum += work(first + i % 2);
  return sum == 0;
}
