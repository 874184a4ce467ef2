// Ends as its argument says.
#include <string.h>
int raise(int), fork(void), waitpid(int, int *, int);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void (*volatile call)(void) = work;

int main(int argc, char **argv) {
  call();
  if (argc > 1 && !strcmp(argv[1], "raise"))
    raise(15);
  if (argc > 1 && !strcmp(argv[1], "fork")) {
    int child = fork();
    if (child == 0)
      call();
    else
      waitpid(child, 0, 0);
    return 3;
  }
  return 0;
}
