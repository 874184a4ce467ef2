// A program and two shared objects, one of them loaded late: each has records, sites and nodes of its own, and one limit each.
// profrt: flags -fprofile-generate -w
// profrt: not merged sections, merge: functions outside of the image are one unknown function after a merge
// profrt: object main.o -DMAIN
// profrt: object one.o -DNAME=one -fPIC
// profrt: object two.o -DNAME=two -fPIC
// profrt: shared libone.so one.o
// profrt: shared libtwo.so two.o
// profrt: program main main.o libone.so -ldl
// profrt: variant plain
// profrt: run main
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run main
// profrt: variant limited
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=2 main
#include <string.h>
#ifdef MAIN
#include <dlfcn.h>
#include <stdlib.h>
int one(int (*)(int), int);
static int (*two)(int (*)(int), int);
static int a(int x) { return x + 1; }
static int b(int x) { return x + 2; }
static int c(int x) { return x + 3; }
static int d(int x) { return x + 4; }
static int (*volatile ops[])(int) = {a, b, c, d};
static volatile int sink;
int main(void) {
  char path[4096];
  strcat(strcpy(path, getenv("BIN")), "/libtwo.so");
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    return 2;
  two = (int (*)(int (*)(int), int))dlsym(library, "two");
  for (int i = 0; i < 50; i++)
    sink = one(ops[i % 4], i) + two(ops[i % 3], i) + ops[i & 1](i);
  return 0;
}
#else
__attribute__((visibility("hidden"))) char from[64], to[64];
static int own(int x) { return x ^ 1; }
static int (*volatile inside)(int) = own;
int NAME(int (*call)(int), int n) {
  memcpy(to, from, n);
  return call(n) + inside(n);
}
#endif
