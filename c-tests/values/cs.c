// Values of context-sensitive instrumentation: sites of copies that the first round inlined.
// profrt: prepare first -fprofile-generate
// profrt: flags -fprofile-use={first} -fcs-profile-generate -O2 -w
// profrt: variant plain
// profrt: variant roomy
// profrt: cflags -mllvm -vp-counters-per-site=20
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
#include <string.h>
typedef int (*op)(int);
static int f0(int x) { return x + 1; }
static int f1(int x) { return x * 3; }
static int f2(int x) { return x ^ 5; }
static op volatile ops[3] = {f0, f1, f2};
char from[1024], to[1024];

static int apply(op o, int n, int x) {
  memcpy(to, from, n);
  return o(x);
}
__attribute__((noinline)) int hot(int i) { return apply(ops[0], 8, i) + apply(ops[i % 3], i % 20, i); }
__attribute__((noinline)) int cold(int i) { return apply(ops[2], 700, i); }

static volatile int sink;
int main(void) {
  for (int i = 0; i < 1000; i++) {
    sink = hot(i);
    if (i % 100 == 0)
      sink = cold(i);
  }
  return 0;
}
