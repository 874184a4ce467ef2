// What `cargo xtask bench` measures an increment in continuous mode with.
//
//     loop TIMES [PATTERN]     counts as often; PATTERN becomes the profile's name before
//
// It leaves without a profile: in continuous mode the counts are in the file already.
#include <stdlib.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

void __llvm_profile_set_filename(const char *);

__attribute__((noinline)) static void work(long times) {
  for (long i = 0; i < times; i++)
    // Nothing that the loop could become instead.
    __asm__ volatile("" : : "r"(i) : "memory");
}

PLAIN int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  if (argc > 2)
    __llvm_profile_set_filename(argv[2]);
  work(atol(argv[1]));
  _exit(0);
}
