// Every public call through a pointer of LLVM's type, and what it returns. Where clang installs profile/instr_prof_interface.h, its
// declarations must agree with those here.
// profrt: not mapped stdout: bounds and results of continuous mode
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: variant fe
// profrt: flags -fprofile-instr-generate
// profrt: run main
// profrt: official rm -f default*.profraw
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: run main
// profrt: official rm -f default*.profraw
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<profile/instr_prof_interface.h>)
#include <profile/instr_prof_interface.h>
#endif

// Declares the call, and a pointer to it that the compiler cannot see through.
#define CALL(result, name, ...)                                                                                                 \
  result name(__VA_ARGS__);                                                                                                     \
  static result (*volatile p_##name)(__VA_ARGS__) = name;

CALL(void, __llvm_profile_set_filename, const char *)
CALL(void, __llvm_profile_reset_counters, void)
CALL(int, __llvm_profile_dump, void)
CALL(int, __llvm_profile_write_file, void)
CALL(const char *, __llvm_profile_get_filename, void)
CALL(const char *, __llvm_profile_get_path_prefix, void)
CALL(int, __llvm_profile_set_file_object, FILE *, int)
CALL(void, __llvm_profile_initialize, void)
CALL(void, __llvm_profile_initialize_file, void)
CALL(int, __llvm_profile_register_write_file_atexit, void)
CALL(void, __llvm_profile_set_dumped, void)
CALL(void, __llvm_profile_set_dir_mode, unsigned)
CALL(unsigned, __llvm_profile_get_dir_mode, void)
CALL(void, __llvm_profile_recursive_mkdir, char *)
CALL(void, __llvm_profile_set_page_size, unsigned)
CALL(void, __llvm_profile_enable_continuous_mode, void)
CALL(int, __llvm_profile_is_continuous_mode_enabled, void)
CALL(uint64_t, __llvm_profile_get_size_for_buffer, void)
CALL(int, __llvm_profile_write_buffer, char *)
CALL(int, __llvm_profile_merge_from_buffer, const char *, uint64_t)
CALL(int, __llvm_profile_check_compatibility, const char *, uint64_t)
CALL(uint64_t, __llvm_profile_get_magic, void)
CALL(uint64_t, __llvm_profile_get_version, void)
CALL(const Record *, __llvm_profile_begin_data, void)
CALL(const Record *, __llvm_profile_end_data, void)
CALL(char *, __llvm_profile_begin_counters, void)
CALL(char *, __llvm_profile_end_counters, void)
CALL(const char *, __llvm_profile_begin_names, void)
CALL(const char *, __llvm_profile_end_names, void)
CALL(Node *, __llvm_profile_begin_vnodes, void)
CALL(Node *, __llvm_profile_end_vnodes, void)
CALL(uint64_t, __llvm_profile_get_num_data, const Record *, const Record *)
CALL(uint64_t, __llvm_profile_get_data_size, const Record *, const Record *)
CALL(uint64_t, __llvm_profile_get_num_counters, const char *, const char *)
CALL(uint64_t, __llvm_profile_get_counters_size, const char *, const char *)
CALL(size_t, __llvm_profile_counter_entry_size, void)
CALL(uint8_t, __llvm_profile_get_num_padding_bytes, uint64_t)
CALL(const Record *, __llvm_profile_iterate_data, const Record *)
CALL(void *, __llvm_get_function_addr, const Record *)
CALL(void, __llvm_profile_set_num_value_sites, Record *, uint32_t, uint16_t)
CALL(void, __llvm_profile_instrument_target, uint64_t, void *, uint32_t)
CALL(void, __llvm_profile_instrument_target_value, uint64_t, void *, uint32_t, uint64_t)
CALL(void, __llvm_profile_instrument_memop, uint64_t, void *, uint32_t)
#if __clang_major__ < 19
#define BOUNDS const Record *, const Record *, const char *, const char *, const char *, const char *
CALL(uint64_t, __llvm_profile_get_size_for_buffer_internal, BOUNDS)
CALL(int, __llvm_profile_write_buffer_internal, char *, BOUNDS)
CALL(void, __llvm_profile_get_padding_sizes_for_counters, uint64_t, uint64_t, uint64_t, uint64_t *, uint64_t *, uint64_t *)
#else
#define BOUNDS const Record *, const Record *, const char *, const char *, const char *, const char *, const char *, const char *
typedef struct VTable VTable;
CALL(void, __llvm_profile_disable_continuous_mode, void)
CALL(void, __llvm_profile_set_timestamp, uint64_t *)
CALL(char *, __llvm_profile_begin_bitmap, void)
CALL(char *, __llvm_profile_end_bitmap, void)
CALL(const VTable *, __llvm_profile_begin_vtables, void)
CALL(const VTable *, __llvm_profile_end_vtables, void)
CALL(const char *, __llvm_profile_begin_vtabnames, void)
CALL(const char *, __llvm_profile_end_vtabnames, void)
CALL(uint64_t, __llvm_profile_get_num_bitmap_bytes, const char *, const char *)
CALL(uint64_t, __llvm_profile_get_name_size, const char *, const char *)
CALL(uint64_t, __llvm_profile_get_num_vtable, const VTable *, const VTable *)
CALL(uint64_t, __llvm_profile_get_vtable_section_size, const VTable *, const VTable *)
CALL(uint64_t, __llvm_profile_get_size_for_buffer_internal, BOUNDS, const VTable *, const VTable *, const char *, const char *)
CALL(int, __llvm_profile_write_buffer_internal, char *, BOUNDS)
CALL(int, __llvm_profile_get_padding_sizes_for_counters, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t *,
     uint64_t *, uint64_t *, uint64_t *, uint64_t *, uint64_t *)
#endif
#if __clang_major__ < 22
CALL(int, __llvm_orderfile_write_file, void)
CALL(int, __llvm_orderfile_dump, void)
CALL(uint32_t *, __llvm_profile_begin_orderfile, void)
#else
typedef void (*Function)(void);
CALL(const Function *, __llvm_profile_begin_covinit, void)
CALL(const Function *, __llvm_profile_end_covinit, void)
#endif

// A number that has no more than two digits: others are compared as addresses and sizes.
#define SAY(name, ...) printf("%-50s %lld\n", #name, (long long)p_##name(__VA_ARGS__))

__attribute__((noinline)) int work(int x) { return x * 3 + 1; }
static int (*volatile call)(int) = work;

int main(void) {
  int sum = call(1) + call(2);
  const Record *data = p___llvm_profile_begin_data(), *data_end = p___llvm_profile_end_data();
  char *counters = p___llvm_profile_begin_counters(), *counters_end = p___llvm_profile_end_counters();
  const char *names = p___llvm_profile_begin_names(), *names_end = p___llvm_profile_end_names();
  SAY(__llvm_profile_get_magic);
  SAY(__llvm_profile_get_version);
  SAY(__llvm_profile_get_num_data, data, data_end);
  SAY(__llvm_profile_get_data_size, data, data_end);
  SAY(__llvm_profile_get_num_counters, counters, counters_end);
  SAY(__llvm_profile_get_counters_size, counters, counters_end);
  SAY(__llvm_profile_counter_entry_size);
  SAY(__llvm_profile_get_num_padding_bytes, 5);
  // (LLVM's runtime brings value nodes of its own.)
  printf("names %d vnodes %d\n", (int)(names_end - names), p___llvm_profile_begin_vnodes() <= p___llvm_profile_end_vnodes());
  printf("next record %d\n", (int)(p___llvm_profile_iterate_data(data) - data));
  const Record *record = data;
  while (record < data_end && p___llvm_get_function_addr(record) != (void *)work)
    record++;
  printf("function found %d\n", record < data_end);

  // Values into a record of our own.
  static Record own;
  static Node *sites[4];
  p___llvm_profile_set_num_value_sites(&own, 0, 2);
  p___llvm_profile_set_num_value_sites(&own, 1, 1);
  own.Values = sites;
  p___llvm_profile_instrument_target(11, &own, 0);
  p___llvm_profile_instrument_target_value(22, &own, 1, 5);
  p___llvm_profile_instrument_memop(33, &own, 2);
  for (int i = 0; i < 3; i++)
    printf("site %d: %d %d\n", i, (int)(sites[i] ? sites[i]->Value : 0), (int)(sites[i] ? sites[i]->Count : 0));

  // Buffers. The official size of the whole may be too small (COMPATIBILITY: buffer size), so it is not printed.
  size_t size = p___llvm_profile_get_size_for_buffer();
  char *buffer = calloc(1, size + 4096);
  SAY(__llvm_profile_write_buffer, buffer);
  SAY(__llvm_profile_check_compatibility, buffer, size);
  SAY(__llvm_profile_merge_from_buffer, buffer, size);
  buffer[0] ^= 1;
  SAY(__llvm_profile_check_compatibility, buffer, size);
  uint64_t padding[6] = {77, 77, 77, 77, 77, 77};
#if __clang_major__ < 19
  size = p___llvm_profile_get_size_for_buffer_internal(data, data_end, counters, counters_end, names, names_end);
  SAY(__llvm_profile_write_buffer_internal, buffer, data, data_end, counters, counters_end, names, names_end);
  p___llvm_profile_get_padding_sizes_for_counters(48, 24, 13, padding, padding + 1, padding + 2);
#else
  char *bitmap = p___llvm_profile_begin_bitmap(), *bitmap_end = p___llvm_profile_end_bitmap();
  const VTable *vtables = p___llvm_profile_begin_vtables(), *vtables_end = p___llvm_profile_end_vtables();
  const char *vnames = p___llvm_profile_begin_vtabnames(), *vnames_end = p___llvm_profile_end_vtabnames();
  SAY(__llvm_profile_get_num_bitmap_bytes, bitmap, bitmap_end);
  SAY(__llvm_profile_get_name_size, names, names_end);
  SAY(__llvm_profile_get_num_vtable, vtables, vtables_end);
  SAY(__llvm_profile_get_vtable_section_size, vtables, vtables_end);
  printf("vtable names %d\n", (int)(vnames_end - vnames));
  size = p___llvm_profile_get_size_for_buffer_internal(data, data_end, counters, counters_end, bitmap, bitmap_end, names, names_end,
                                                       vtables, vtables_end, vnames, vnames_end);
  SAY(__llvm_profile_write_buffer_internal, buffer, data, data_end, counters, counters_end, bitmap, bitmap_end, names, names_end);
  SAY(__llvm_profile_get_padding_sizes_for_counters, 64, 24, 3, 13, 24, 5, padding, padding + 1, padding + 2, padding + 3,
      padding + 4, padding + 5);
  uint64_t stamp = 0;
  p___llvm_profile_set_timestamp(&stamp);
  printf("stamp %d\n", stamp != 0);
  p___llvm_profile_disable_continuous_mode();
#endif
  printf("size %d\n", size > 0);
  for (int i = 0; i < 6; i++)
    printf("padding %d\n", (int)padding[i]);
  free(buffer);

  // Marks, modes, streams.
  p___llvm_profile_set_dumped();
  p___llvm_profile_set_dir_mode(0700);
  SAY(__llvm_profile_get_dir_mode);
  char path[] = "made/file";
  p___llvm_profile_recursive_mkdir(path);
  printf("made %d\n", rmdir("made"));
#if __clang_major__ < 22
  printf("order %d\n", p___llvm_profile_begin_orderfile() != NULL);
#else
  printf("covinit %d\n", (int)(p___llvm_profile_end_covinit() - p___llvm_profile_begin_covinit()));
#endif
  SAY(__llvm_profile_is_continuous_mode_enabled);
  p___llvm_profile_set_page_size(0);
  p___llvm_profile_enable_continuous_mode();
  SAY(__llvm_profile_is_continuous_mode_enabled);
#if __clang_major__ >= 19
  p___llvm_profile_disable_continuous_mode();
#endif

  // The file.
  p___llvm_profile_set_filename("x.profraw");
  printf("name %s prefix \"%s\"\n", p___llvm_profile_get_filename(), p___llvm_profile_get_path_prefix());
  p___llvm_profile_initialize_file();
  p___llvm_profile_initialize();
  SAY(__llvm_profile_register_write_file_atexit);
  FILE *stream = fopen("stream", "w+");
  unlink("stream");
  SAY(__llvm_profile_set_file_object, stream, 0);
  SAY(__llvm_profile_set_file_object, stream, 1);
  SAY(__llvm_profile_set_file_object, NULL, 0);
  p___llvm_profile_reset_counters();
  SAY(__llvm_profile_write_file);
  unlink("x.profraw");
  SAY(__llvm_profile_dump);
  SAY(__llvm_profile_dump);
  return sum - 11;
}
