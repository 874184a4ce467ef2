// reset_counters empties the values and keeps the nodes: the order of arrival before it shows in what is written after it.
// profrt: flags -fprofile-generate
// profrt: not merged sections, merge: a value that was seen no more after a reset is left out by a merge
// profrt: variant reserved
// profrt: run main
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run main
// profrt: variant full
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=3 main
// profrt: variant nothing-after
// profrt: run main end
// profrt: variant one
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=1 main
#include <string.h>
void __llvm_profile_reset_counters(void);

static int a(int x) { return x + 1; }
static int b(int x) { return x + 2; }
static int c(int x) { return x + 3; }
static int d(int x) { return x + 4; }
static int e(int x) { return x + 5; }
static int (*volatile ops[])(int) = {a, b, c, d, e};
char from[600], to[600];

__attribute__((noinline)) static int site(int i, int n) {
  memcpy(to, from, n);
  return ops[i](n);
}

static volatile int sink;
int main(int argc, char **argv) {
  for (int i = 0; i < 60; i++)
    sink = site(i % 4, i * 9);
  __llvm_profile_reset_counters();
  if (argc > 1)
    return 0;
  for (int i = 0; i < 30; i++)
    sink = site(4 - i % 3, 300 - i);
  return 0;
}
