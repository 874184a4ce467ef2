// A heap that must not be touched any more: the way from the exit to the disk allocates nothing.
// profrt: only-ours: the official archive allocates while it writes
// profrt: variant fe
// profrt: flags -fprofile-instr-generate
// profrt: run LLVM_PROFILE_FILE=new/directory/x-%p-%h.profraw main
// profrt: variant values
// profrt: flags -fprofile-generate
// profrt: run LLVM_PROFILE_FILE=x.profraw main
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: run LLVM_PROFILE_FILE=x.profraw main
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int broken;
static char arena[1 << 20];
static size_t used;

__attribute__((no_profile_instrument_function)) static void *take(size_t n) {
  if (broken) {
    write(2, "heap\n", 5);
    _exit(99);
  }
  size_t at = (used + 15) & ~(size_t)15;
  used = at + n;
  return used > sizeof arena ? NULL : arena + at;
}
__attribute__((no_profile_instrument_function)) void *malloc(size_t n) { return take(n); }
__attribute__((no_profile_instrument_function)) void *calloc(size_t n, size_t m) { return take(n * m); }
__attribute__((no_profile_instrument_function)) void *realloc(void *p, size_t n) { return p ? NULL : take(n); }
__attribute__((no_profile_instrument_function)) void free(void *p) {
  if (broken && p) {
    write(2, "free\n", 5);
    _exit(98);
  }
}

static int one(int x) { return x + 1; }
static int (*volatile f)(int) = one;

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += f(i);
  broken = 1;
  return sum * argc - 15;
}
