// The program's own instrumented allocator makes indirect calls, with value nodes that are not preallocated.
// profrt: only-ours: the official archive allocates nodes with this allocator and never comes back
// profrt: flags -fprofile-generate -mllvm -vp-static-alloc=false
// profrt: run LLVM_PROFILE_FILE=x.profraw main
// profrt: ours $PROFDATA show --all-functions --ic-targets x.profraw | grep -q 'bump, *[0-9]'
#include <stddef.h>
#include <stdio.h>

static char arena[1 << 20];
static size_t used;
static void *bump(size_t n) {
  size_t at = (used + 15) & ~(size_t)15;
  used = at + n;
  return used > sizeof arena ? NULL : arena + at;
}
static void *(*volatile strategy)(size_t) = bump;

void *malloc(size_t n) { return strategy(n); }
void *calloc(size_t n, size_t m) { return strategy(n * m); }
void *realloc(void *p, size_t n) { return p ? NULL : strategy(n); }
void free(void *p) { (void)p; }

int main(void) {
  char *volatile text = malloc(10);
  text[0] = 'x';
  printf("%c\n", text[0]);
  return 0;
}
