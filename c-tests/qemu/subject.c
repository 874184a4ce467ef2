/* What is counted: branches, loops, a switch, calls through pointers, copies; and functions that never run. */
#include "subject.h"

#if __ARM_ARCH == 6
/* What a compiler's library has for CPUs that cannot divide: the quotient in r0, the rest in r1. Volatile, lest it become a division. */
__attribute__((no_profile_instrument_function)) unsigned long long __aeabi_uidivmod(unsigned n, unsigned by) {
  volatile unsigned rest = n;
  unsigned quotient = 0;
  for (; rest >= by; quotient++) rest -= by;
  return quotient | (unsigned long long)rest << 32;
}
#endif

static int twice(int n) { return n < 3 ? n : n * 2; }
static int thrice(int n) { return n * 3; }
static int square(int n) { return n & 1 ? n * n : 0; }
int never(int n) { return n > 7 ? n : never(n + 1); }

int (*volatile table[3])(int) = {twice, thrice, square};

static int sort_of(int n) {
  switch (n % 5) {
  case 0:
    return 11;
  case 1:
  case 2:
    return n > 20 ? 22 : 23;
  default:
    return 0;
  }
}

int subject(int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    sum += table[i % 7 == 0 ? 1 : i % 3 ? 0 : 2](i);
    if (i % 2 && sum > 100 || i == 33) sum += sort_of(i);
    while (sum > 1000) sum -= 7;
  }
  return sum;
}
