// What `cargo xtask bench` measures an increment in continuous mode with.
//
//     loop TIMES     counts as often
//
// It leaves without a profile: in continuous mode the counts are in the file already.
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static void work(long times) {
  for (long i = 0; i < times; i++)
    // Nothing that the loop could become instead.
    __asm__ volatile("" : : "r"(i) : "memory");
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  work(atol(argv[1]));
  _exit(0);
}
