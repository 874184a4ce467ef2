// Front-end instrumentation with a coverage mapping: branches, loops, a function that is never called.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main; main 1 2 3
#include <stdio.h>

static int collatz(unsigned n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

int never(int x) { return x ? 1 : 2; }

static const char *name(int n) {
  switch (n) {
  case 1: return "one";
  case 2: return "two";
  default: return n > 5 && n < 9 ? "some" : "many";
  }
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < argc * 3; i++)
    printf("%d %s %d\n", i, name(i), collatz((unsigned)i + 1));
  return 0;
}
