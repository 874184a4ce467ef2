// Odd corners of C: statement expressions, asm goto, variable-length arrays, _Generic, nested conditionals, noreturn.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant o0-ir
// profrt: flags -O0 -fprofile-generate
// profrt: variant pic-large
// profrt: flags -fPIC -mcmodel=large -fprofile-instr-generate
#include <stdio.h>
#include <stdlib.h>

#define BIGGER(a, b) ({ int x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })
#define KIND(x) _Generic((x), int: 1, double: 2, default: 3)

struct bits { unsigned a : 3, b : 5; };

__attribute__((noinline)) static int branches(int n) {
  asm goto("test %0, %0; jz %l1" : : "r"(n) : "cc" : zero);
  return n > 5 ? n > 7 ? 3 : 2 : n < 3 ? 1 : 0;
zero:
  return -1;
}

__attribute__((noinline)) static int vla(int n) {
  int values[n + 1];
  for (int i = 0; i <= n; i++)
    values[i] = i * i;
  int sum = 0;
  do
    sum += values[n];
  while (n-- > 0);
  return sum;
}

_Noreturn static void leave(int code) { exit(code); }

int main(int argc, char **argv) {
  struct bits bits = {5, 17};
  int sum = KIND(1.0) + KIND("") + bits.a + bits.b;
  for (int i = 0, j = 9; i < j; i++, j--)
    sum += BIGGER(branches(i), branches(j)) + vla(i);
  printf("%d\n", sum);
  if (argc > 1 && argv[1])
    leave(1);
  if (sum && (argc || sum > 3) && !(sum < 0))
    leave(0);
  return 2;
}
