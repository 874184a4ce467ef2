// A pool file of this very program that is damaged stays, and a line says so: a changed number, and value data that is missing. No old value is
// dropped without a word.
// profrt: no-profile
// profrt: object main.o
// profrt: program main main.o
// profrt: variant values
// profrt: flags -fprofile-generate -w
// profrt: ours VALUES=1 $SRC/damaged.sh
// profrt: variant counters
// profrt: flags -fprofile-instr-generate -w
// profrt: ours $SRC/damaged.sh
#include <string.h>

__attribute__((noinline)) int one(int x) { return x + 1; }
__attribute__((noinline)) int two(int x) { return x * 2; }
int (*volatile functions[2])(int) = {one, two};

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum += functions[i & 1](argc);
  return sum != 12;
}
