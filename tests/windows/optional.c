// What its argument names is done with values.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
void __llvm_profile_reset_counters(void);
int profrt_counters_size(size_t *size);
int profrt_dump_counters_buffer(void *buffer, size_t size, size_t *written);

__attribute__((noinline)) static int one(int x) { return x + 1; }
__attribute__((noinline)) static int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};

int main(int argc, char **argv) {
  for (int i = 0; i < 100; i++)
    table[i % 5 > 2](i);
  if (!strcmp(argv[1], "reset"))
    __llvm_profile_reset_counters();
  if (!strcmp(argv[1], "merge")) {
    uint64_t size = __llvm_profile_get_size_for_buffer();
    char *buffer = malloc(size);
    return __llvm_profile_write_buffer(buffer) || __llvm_profile_merge_from_buffer(buffer, size);
  }
  if (!strcmp(argv[1], "compact")) {
    size_t size = 0, written = 0;
    if (profrt_counters_size(&size))
      return 1;
    // Counts of this function change meanwhile. Without values it has 34 bytes.
    size += 9;
    return profrt_dump_counters_buffer(malloc(size), size, &written) || written < 40;
  }
  return 0;
}
