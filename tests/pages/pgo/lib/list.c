#include "list.h"
#include <string.h>

static char bytes[64];

__attribute__((noinline)) int apply(int (*f)(int), int x) { return f(x); }
__attribute__((noinline)) int twice(int x) { return 2 * x; }
__attribute__((noinline)) int square(int x) { return x * x; }

__attribute__((noinline)) int fill(int size) {
  memset(bytes, size, size);
  return bytes[0];
}
