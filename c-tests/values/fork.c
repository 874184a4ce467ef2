// A process that forks in the middle: parent and child go on counting the values that both had.
// profrt: flags -fprofile-generate -w
// profrt: variant plain
// profrt: run main
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run main
// profrt: variant full
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=2 main
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void __llvm_profile_set_filename(const char *);
static int a(int x) { return x + 1; }
static int b(int x) { return x + 2; }
static int c(int x) { return x + 3; }
static int d(int x) { return x + 4; }
static int (*volatile ops[])(int) = {a, b, c, d};
char from[64], to[64];
__attribute__((noinline)) static int site(int i) {
  memcpy(to, from, i % 40);
  return ops[i % 4](i);
}
static volatile int sink;
int main(void) {
  for (int i = 0; i < 10; i++)
    sink = site(i * 2);
  int child = fork();
  if (!child)
    __llvm_profile_set_filename("child.profraw");
  for (int i = 0; i < 100; i++)
    sink = site(child ? i : i * 3 + 1);
  int status = 0;
  if (child)
    waitpid(child, &status, 0);
  return status;
}
