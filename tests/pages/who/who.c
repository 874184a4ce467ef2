// Three tests run different lines of this.
#include "parts/pick.h"
#include <stdlib.h>

int unused(int x) {
  return x;
}

int main(int argc, char **argv) {
  int x = atoi(argv[1]);
  if (x > 100)
    return unused(x);
  if (x == 7) {
    x = pick(1);
    x += pick(2);
    return x == 0;
  }
  return pick(x) == 0;
}
