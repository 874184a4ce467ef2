// Many sites: more than 256 in one function, both kinds in one function, functions with sites that see nothing.
// profrt: flags -fprofile-generate -w
// profrt: run main 40
// profrt: variant plain
// profrt: variant roomy
// profrt: cflags -mllvm -vp-counters-per-site=20
// profrt: variant runtime-arrays
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: variant optimised
// profrt: flags -O3
// profrt: cflags -mllvm -vp-counters-per-site=20
// profrt: variant unreached
// profrt: run LLVM_PROFILE_FILE=none.profraw main 0
// profrt: variant twice
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run LLVM_PROFILE_FILE=again.profraw main 3
#include <stdlib.h>
#include <string.h>

typedef int (*op)(int);
static int f0(int x) { return x + 1; }
static int f1(int x) { return x + 2; }
static int f2(int x) { return x + 3; }
static int f3(int x) { return x + 4; }
static op volatile ops[4] = {f0, f1, f2, f3};
char from[256], to[256];

#define CALL s += ops[(i + s) & 3](s);
#define C4 CALL CALL CALL CALL
#define C16 C4 C4 C4 C4
#define C64 C16 C16 C16 C16
__attribute__((noinline)) static int wide(int i) {
  int s = i;
  C64 C64 C64 C64 C16 C4 // 276
  return s;
}

__attribute__((noinline)) static int mixed(int i, int s) {
  memcpy(to, from, i % 40);
  s += ops[i & 1](s);
  memset(to, s, i % 9);
  s += ops[i & 3](s);
  memmove(to, to + 1, i % 130);
  return s + ops[2](i);
}

__attribute__((noinline)) static int never(int i) {
  if (i < 1000)
    return i;
  memcpy(to, from, i % 40);
  return ops[i & 1](i);
}

static volatile int sink;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++)
    sink = wide(i) + mixed(i, i) + never(i);
  return 0;
}
