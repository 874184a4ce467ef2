// Flow that skips counters: longjmp, computed goto, recursion, a dense and a sparse switch, early returns.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf env;

__attribute__((noinline)) static void deep(int n) {
  if (n == 0)
    longjmp(env, 3);
  deep(n - 1);
}

__attribute__((noinline)) static int vm(const char *code) {
  static void *const jump[] = {&&stop, &&add, &&twice, &&back};
  int x = 1, back = 2;
  goto *jump[*code++ - '0'];
add:
  x += 3;
  goto *jump[*code++ - '0'];
twice:
  x *= 2;
  goto *jump[*code++ - '0'];
back:
  if (back-- > 0)
    code -= 2;
  goto *jump[*code++ - '0'];
stop:
  return x;
}

__attribute__((noinline)) static int dense(int n) {
  switch (n) {
  case 0: return 5;
  case 1: n++; /* fall through */
  case 2: return n * 2;
  case 3: case 4: return 9;
  case 1000: return 1;
  case -70000: return 2;
  default: break;
  }
  return n < 0 ? -1 : n;
}

__attribute__((noinline)) static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count-- > 0)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

static int ackermann(int m, int n) {
  return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void) {
  volatile int jumps = 0;
  if (setjmp(env) == 0)
    deep(5);
  else if (jumps++ < 3)
    deep(jumps);
  int total = vm("12130") + sum(3, 1, 2, 3) + ackermann(2, 3);
  for (int i = -2; i < 7; i++)
    total += dense(i) + dense(i * 500);
  printf("%d %d\n", total, jumps);
  return 0;
}
