// Value profiles: targets of indirect calls and sizes of memory operations, in several sites of several functions.
// profrt: flags -fprofile-generate
// profrt: variant plain
// profrt: variant static
// profrt: lflags -static
// profrt: variant no-pie
// profrt: flags -fno-pie
// profrt: lflags -no-pie
// profrt: variant no-static-alloc
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: variant two-runs
// profrt: run LLVM_PROFILE_FILE=a.profraw main; LLVM_PROFILE_FILE=b.profraw main 1 2
// profrt: variant atomic
// profrt: flags -fprofile-update=atomic
// profrt: variant limited
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=3 main
// profrt: variant limit-of-nothing
// profrt: differs files, profile: not a crash but a warning; COMPATIBILITY: value limit
// profrt: no-profile official
// profrt: official for n in 0 many; do (LLVM_PROFILE_FILE=x.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main >/dev/null) 2>/dev/null; test $? -gt 127 || exit 1; done; rm -f x.profraw
// profrt: ours for n in 0 many; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main 2>&1 | grep -q Warning || exit 1; done
#include <stdio.h>
#include <string.h>

typedef int (*op)(int);
static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int twice(int x) { return x * 2; }
static int half(int x) { return x / 2; }
static int neg(int x) { return -x; }
static op volatile ops[] = {inc, dec, twice, half, neg};

__attribute__((noinline)) static int pipeline(int n, int x) {
  for (int i = 0; i < n; i++) {
    x = ops[i % 5](x);
    if (i % 3 == 0)
      x = ops[(i / 3) % 2](x);
  }
  return x;
}

__attribute__((noinline)) static int idle(op f, int x) { return x > 100 ? f(x) : x; }

char from[1024], to[1024];
__attribute__((noinline)) static void sizes(void) {
  static const int all[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 511, 600};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    for (unsigned j = 0; j <= i % 3; j++)
      memcpy(to, from, (size_t)all[i]);
  for (int i = 0; i < 6; i++)
    memset(to, 1, (size_t)(i & 1 ? 24 : 3));
}

int main(int argc, char **argv) {
  (void)argv;
  sizes();
  printf("%d %d\n", pipeline(40 * argc, 3), idle(inc, argc));
  return 0;
}
