// Counts, indirect calls, sizes of memory functions, decisions.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int one(int x) { return x + 1; }
__attribute__((noinline)) static int two(int x) { return x * 2; }
__attribute__((noinline)) static int three(int x) { return x - 3; }
static int (*volatile table[3])(int) = {one, two, three};
static char from[4096], to[4096];

static int decide(int a, int b, int c) {
  if ((a && b) || c)
    return 1;
  return 0;
}

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 100 * argc; i++) {
    sum = (sum + table[i % 7 % 3](i)) & 0xffff;
    memcpy(to, from, (size_t)(i % 5 * 17 + argc));
    sum += decide(i % 2, i % 3, i == 50) + to[i % 4096];
  }
  printf("%d\n", sum);
  return argc;
}
