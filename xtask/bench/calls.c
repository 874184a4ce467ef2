// What `cargo xtask bench` measures the hooks with: one site, called in a loop.
//
//     calls CASE CALLS
//
// CASE is `target-K` (K targets in turn) or `size-K` (memory sizes 1 to K in turn). What is called has no counters of its own: the hook is all
// there is to see.
#include <stdlib.h>
#include <string.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

// At a place of their own (`--section-start`): what values cost depends a little on their low bits, and must not change with what else
// is linked.
#define F(n) PLAIN __attribute__((section("called"))) static int f##n(int x) { return x + n; }
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8)
#define P8(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, f##p##6, f##p##7
static int (*targets[64])(int) = {P8(1), P8(2), P8(3), P8(4), P8(5), P8(6), P8(7), P8(8)};

static volatile unsigned sink;
static char from[64];
char to[64];

__attribute__((noinline)) static void call_targets(long calls, int number) {
  unsigned sum = 0;
  for (long i = 0; i < calls; i++)
    sum += targets[i % number]((int)i);
  sink = sum;
}

__attribute__((noinline)) static void copy_sizes(long calls, int number) {
  for (long i = 0; i < calls; i++)
    memcpy(to, from, i % number + 1);
}

PLAIN int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  int number = atoi(strchr(argv[1], '-') + 1);
  if (!strncmp(argv[1], "size-", 5))
    copy_sizes(atol(argv[2]), number);
  else
    call_targets(atol(argv[2]), number);
  return 0;
}
