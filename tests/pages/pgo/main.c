#include <string.h>
#include "lib/list.h"

__attribute__((noinline)) static int cold(int x) { return x ? 3 : 4; }
__attribute__((noinline)) int never(int x) { return x ? 1 : 2; }
#ifdef CHANGED
__attribute__((noinline)) int stale(int x) { while (x > 5) x -= square(x) > 50 ? 3 : 2; if (x) x++; return x; }
__attribute__((noinline)) int added(int x) { return x + 1; }
#else
__attribute__((noinline)) int stale(int x) { for (int i = 0; i < x; i++) x -= i & 1; return x; }
__attribute__((noinline)) int gone(int x) { return x - 1; }
#endif

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < (argc > 1 ? 3 : 3000); i++)
    sum += apply(i % 3 ? twice : square, i);
  for (int i = 0; i < 2000; i++)
    sum += fill(i % 40);
  sum += cold(argc) + stale(100);
#ifdef CHANGED
  sum += added(argc);
#else
  sum += gone(argc);
#endif
  return argc > 99 ? never(sum) : 0;
}
