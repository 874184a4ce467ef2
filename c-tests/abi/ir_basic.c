// IR instrumentation: the file says so in its version word; edges, selects, an indirect call and two memory operations.
// profrt: flags -fprofile-generate
// profrt: run main x.txt
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*volatile table[])(int, int) = {add, sub, mul};

__attribute__((noinline)) static int apply(int which, int a, int b) { return table[which](a, b); }

__attribute__((noinline)) static void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  char from[64], to[64];
  memset(from, argc, sizeof from);
  for (int i = 0; i < 12; i++) {
    sum += apply(i % 3, i, argc);
    sum += i & 1 ? sum : -sum;
    copy(to, from, (size_t)(i * 3));
  }
  printf("%d\n", sum);
  return 0;
}
