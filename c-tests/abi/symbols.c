// Weak functions, aliases, ifuncs, constructors, hidden and static functions of one name in two units, TLS.
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant gold
// profrt: flags -fprofile-instr-generate -fuse-ld=gold
// profrt: variant lld
// profrt: flags -fprofile-generate -fuse-ld=lld
#include <stdio.h>

int two(int x);
extern __thread int per_thread;

static int same_name(int x) {
#ifdef SECOND
  return x > 2 ? x : 2;
#else
  return x > 2 ? 2 : x;
#endif
}

#ifdef SECOND
__thread int per_thread = 4;
__attribute__((visibility("hidden"))) int hidden(int x) { return x ? x + per_thread : 0; }
int overridden(int x) { return x * 3; }
int two(int x) { return same_name(x) + hidden(x); }
#else
__attribute__((weak)) int overridden(int x) { return x ? 1 : 2; }
__attribute__((weak)) int absent(int x);
__attribute__((weak)) int lonely(int x) { return x ? 8 : 9; }
static int fast(int x) { return x + 1; }
static int slow(int x) { return x + 2; }
// The resolver runs while the image is still being relocated: it must not be instrumented.
__attribute__((no_profile_instrument_function)) static int (*resolve(void))(int) { return (void *)fast == 0 ? slow : fast; }
int chosen(int x) __attribute__((ifunc("resolve")));
int aliased(int x) __attribute__((alias("lonely")));
static int started;
__attribute__((constructor)) static void start(void) { started += same_name(5); }

int main(int argc, char **argv) {
  (void)argv;
  per_thread += argc;
  printf("%d %d %d %d %d %d\n", started, two(argc), overridden(2), chosen(3), aliased(0), absent ? absent(1) : -1);
  return 0;
}
#endif
