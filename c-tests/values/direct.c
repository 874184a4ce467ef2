// The calls as a program makes them itself: counts by the thousand, sizes of every kind, a limit.
// profrt: flags -fprofile-generate -w
// profrt: variant counts
// profrt: run main counts
// profrt: variant sizes
// profrt: run main sizes
// profrt: variant limit
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=5 main limit
// profrt: variant rare
// profrt: run main rare
// profrt: variant zero
// profrt: run main zero
#include <stdint.h>
#include <string.h>
typedef struct record record;
const record *__llvm_profile_begin_data(void);
void __llvm_profile_instrument_target(uint64_t, void *, uint32_t);
void __llvm_profile_instrument_target_value(uint64_t, void *, uint32_t, uint64_t);
void __llvm_profile_instrument_memop(uint64_t, void *, uint32_t);

#define PLAIN __attribute__((no_profile_instrument_function))

// The only function with a record: a site of targets (0) and one of sizes (1).
char from[64], to[64];
__attribute__((noinline)) int site(int (*f)(int), int n) {
  memcpy(to, from, n);
  return f(n);
}

PLAIN static int target(int x) { return x; }

// So many calls, of so many targets in turn.
PLAIN static void calls(void *data, uint64_t n, uint64_t targets) {
  for (uint64_t i = 0; i < n; i++)
    __llvm_profile_instrument_target((uint64_t)target + i % targets, data, 0);
}

PLAIN int main(int argc, char **argv) {
  void *data = (void *)__llvm_profile_begin_data();
  const char *what = argv[1];
  site(target, 3);
  if (!strcmp(what, "counts")) {
    for (uint64_t i = 0; i < 10; i++)
      __llvm_profile_instrument_target_value((uint64_t)target + i % 3, data, 0, i * 1000);
    __llvm_profile_instrument_target_value((uint64_t)target, data, 0, 1ull << 40);
  } else if (!strcmp(what, "sizes")) {
    static const uint64_t sizes[] = {0, 8, 9, 512, 513, 1 << 20, 1ull << 32, 1ull << 63, ~0ull, ~0ull - 6};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (unsigned n = 0; n <= i; n++)
        __llvm_profile_instrument_memop(sizes[i], data, 1);
  } else if (!strcmp(what, "limit")) {
    calls(data, 43, 9);
    calls(data, 3000, 290);
  } else if (!strcmp(what, "rare")) {
    for (uint64_t i = 0; i < 24; i++)
      __llvm_profile_instrument_target_value((uint64_t)target + i, data, 0, 100 + i);
    // Each wears the least frequent down by its own count.
    for (uint64_t i = 30; i < 60; i++)
      __llvm_profile_instrument_target_value((uint64_t)target + i, data, 0, i);
  } else {
    __llvm_profile_instrument_target_value((uint64_t)target + 1, data, 0, 0);
    __llvm_profile_instrument_target_value((uint64_t)target, data, 0, 0);
    for (uint64_t i = 0; i < 30; i++)
      __llvm_profile_instrument_target_value((uint64_t)target + i, data, 0, 0);
  }
  return 0;
}
