#include <stdio.h>

static int collatz(long n) {
  int steps = 0;
  for (; n != 1; steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

int main(void) {
  if (collatz(27) > 1000)
    puts("more than 1000 steps");
  return 0;
}
