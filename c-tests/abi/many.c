// Several hundred functions: a compressed names section, thousands of counters.
// The optimizer would take seconds.
// profrt: cflags -O0
// profrt: variant fe
// profrt: flags -fprofile-instr-generate
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
#include <stdio.h>
#define ONE(n)                                                                                                         \
  __attribute__((noinline)) static int function_number_##n(int x) {                                                   \
    int sum = 0;                                                                                                       \
    for (int i = 0; i < x % 5; i++)                                                                                    \
      sum += i % 2 ? x : n;                                                                                            \
    return sum;                                                                                                        \
  }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define CALL1(n) sum += function_number_##n(argc + n % 7);
#define CALL10(n) CALL1(n##0) CALL1(n##1) CALL1(n##2) CALL1(n##3) CALL1(n##4) CALL1(n##5) CALL1(n##6) CALL1(n##7) CALL1(n##8) CALL1(n##9)
#define HUNDRED(F, n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
HUNDRED(TEN, 1) HUNDRED(TEN, 2) HUNDRED(TEN, 3)

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  HUNDRED(CALL10, 1) HUNDRED(CALL10, 2) HUNDRED(CALL10, 3)
  printf("%d\n", sum);
  return 0;
}
