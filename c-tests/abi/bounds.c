// The calls that tell where the sections are and how many entries they have agree with each other.
// profrt: not mapped stdout: sizes of sections that have pages of their own
// profrt: variant fe
// profrt: flags -fprofile-instr-generate
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant bytes
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: variant mcdc
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: cflags -DBITMAP
#include <stdint.h>
#include <stdio.h>

const char *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);
const char *__llvm_profile_begin_names(void), *__llvm_profile_end_names(void);
const char *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);
uint64_t __llvm_profile_get_data_size(const void *, const void *);
uint64_t __llvm_profile_get_size_for_buffer(void);
uint64_t __llvm_profile_get_magic(void);
uint64_t __llvm_profile_get_version(void);
uint64_t __llvm_profile_get_num_counters(const void *, const void *);
uint64_t __llvm_profile_get_counters_size(const void *, const void *);
uint64_t __llvm_profile_counter_entry_size(void);
uint8_t __llvm_profile_get_num_padding_bytes(uint64_t);
#ifdef BITMAP
const char *__llvm_profile_begin_bitmap(void), *__llvm_profile_end_bitmap(void);
uint64_t __llvm_profile_get_num_bitmap_bytes(const char *, const char *);
uint64_t __llvm_profile_get_name_size(const char *, const char *);
#endif

int unused(int x, int y) { return x && y ? 1 : 2; }

int main(void) {
  const char *b = __llvm_profile_begin_data(), *e = __llvm_profile_end_data();
  printf("magic %llx version %llx\n", (unsigned long long)__llvm_profile_get_magic(),
         (unsigned long long)__llvm_profile_get_version());
  printf("data %d %d\n", (int)(e - b), (int)__llvm_profile_get_data_size(b, e));
  b = __llvm_profile_begin_counters(), e = __llvm_profile_end_counters();
  printf("counters %d", (int)(e - b));
#if __clang_major__ > 14
  printf(" %d %d %d", (int)__llvm_profile_get_num_counters(b, e), (int)__llvm_profile_get_counters_size(b, e),
         (int)__llvm_profile_counter_entry_size());
#endif
  printf("\nnames %d\n", (int)(__llvm_profile_end_names() - __llvm_profile_begin_names()));
  printf("buffer %d\n", (int)__llvm_profile_get_size_for_buffer());
  for (uint64_t i = 0; i < 10; i++)
    printf("%d", __llvm_profile_get_num_padding_bytes(i));
#ifdef BITMAP
  printf(" bitmap %d %d\n", (int)(__llvm_profile_end_bitmap() - __llvm_profile_begin_bitmap()),
         (int)__llvm_profile_get_num_bitmap_bytes(__llvm_profile_begin_bitmap(), __llvm_profile_end_bitmap()));
#endif
  return unused(0, 0) - 2;
}
