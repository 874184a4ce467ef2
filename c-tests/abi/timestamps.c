// The call of temporal instrumentation, made by the program itself, for every raw version.
// profrt: flags -fprofile-instr-generate
// profrt: variant new
// profrt: clang 18..
// profrt: variant old
// profrt: clang ..17
// profrt: only-ours: clang 17 is the first whose archive has the call; its raw version is that of 14 and 16
#include <stdint.h>
#include <stdio.h>

void __llvm_profile_set_timestamp(uint64_t *);

int main(void) {
  // A counter that has not counted is 0, or all ones where counters are bytes of coverage.
  uint64_t first = 0, second = ~0ull, third = 0, taken = 77;
  __llvm_profile_set_timestamp(&third);
  __llvm_profile_set_timestamp(&first);
  __llvm_profile_set_timestamp(&taken);
  __llvm_profile_set_timestamp(&second);
  __llvm_profile_set_timestamp(&third);
  printf("%d %d %d %d\n", (int)first, (int)second, (int)third, (int)taken);
  return !(third == 1 && first == 2 && second == 3 && taken == 77);
}
