// Sums of a megabyte of counters, most of them zero on one side or on both: what is left out of the file and not read is zero.
// profrt: only-ours: about the runtime's own way around zeros
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: ours for k in 1 2 3 8 0 31; do LLVM_PROFILE_FILE=p-%m.profraw main $k || exit; done; LLVM_PROFILE_FILE=x.profraw main check p-*.profraw 1 2 3 8 0 31
// profrt: ours [ $(($(stat -c %b p-*.profraw) * 512)) -lt $(($(stat -c %s p-*.profraw) / 2)) ]
// profrt: ours rm p-*.profraw x.profraw
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 40
#define EACH 4096
__attribute__((section("__llvm_prf_cnts"), used)) static uint64_t wide[BLOCKS * EACH + 3];
static uint64_t sums[BLOCKS * EACH + 3];

const char *__llvm_profile_begin_counters(void), *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);

// One page of each fifth block, and for odd numbers the last counter of all.
__attribute__((no_profile_instrument_function)) static void run(uint64_t *to, int k) {
  for (int b = 0; b < BLOCKS; b++)
    if (k >> b % 5 & 1)
      for (int i = 0; i < 512; i++)
        to[b * EACH + k % 7 * 512 + i] += (uint64_t)k * 1000 + b + i;
  if (k & 1)
    to[BLOCKS * EACH + 2] += k;
}

int main(int argc, char **argv) {
  if (strcmp(argv[1], "check")) {
    run(wide, atoi(argv[1]));
    return 0;
  }
  for (int i = 3; i < argc; i++)
    run(sums, atoi(argv[i]));
  FILE *file = fopen(argv[2], "rb");
  static char bytes[4 << 20];
  size_t size = fread(bytes, 1, sizeof bytes, file);
  uint64_t *header = (uint64_t *)bytes;
  size_t words = (header[1] & 0xff) == 8 ? 11 : (header[1] & 0xff) == 9 ? 14 : 16;
  size_t at = words * 8 + header[2] + (__llvm_profile_end_data() - __llvm_profile_begin_data()) + header[4];
  at += (char *)wide - __llvm_profile_begin_counters();
  if (at + sizeof sums > size)
    return 2;
  for (size_t i = 0; i < BLOCKS * EACH + 3; i++)
    if (memcmp(bytes + at + i * 8, sums + i, 8))
      return printf("counter %zu is wrong\n", i), 1;
  return 0;
}
