// MemorySanitizer takes all bytes for written that the runtime has written to the program's memory. The others stay as they were.
// profrt: only-ours: LLVM's runtime leaves paddings and results that it stores itself unknown to the sanitizer
// profrt: run rm -f default*.profraw
// profrt: no-profile
// profrt: variant fe
// profrt: flags -fsanitize=memory -fprofile-instr-generate
// profrt: variant ir
// profrt: flags -fsanitize=memory -fprofile-generate
// profrt: variant bytes
// profrt: flags -fsanitize=memory -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: variant shared
// profrt: flags -fsanitize=memory -fprofile-generate
// profrt: object lib.o -fPIC -DLIB
// profrt: object main.o -DCALLS_LIB
// profrt: shared lib.so lib.o
// profrt: program main main.o lib.so
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sanitizer/msan_interface.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
const char *__llvm_profile_get_filename(void);
int profrt_write_buffer(void *, size_t, size_t *, size_t *), profrt_dump_buffer(void *, size_t, size_t *);

int in_library(void);

static int f(int x) { return x + 1; }
static int (*volatile call)(int) = f;

// The first byte that is not known to be written must be this one; -1: there is none.
static void expect(const char *what, const void *bytes, size_t size, intptr_t first) {
  intptr_t found = __msan_test_shadow(bytes, size);
  if (found != first) {
    printf("%s: byte %d of %zu, not %d, is the first that was not written\n", what, (int)found, size, (int)first);
    exit(1);
  }
}

#ifdef LIB
int in_library(void) {
#else
int main(void) {
#endif
#ifdef CALLS_LIB
  if (in_library())
    return 4;
#endif
  call(1);
  size_t size = __llvm_profile_get_size_for_buffer();
  char *buffer = malloc(size + 8);
  expect("before", buffer, size, 0);
  if (__llvm_profile_write_buffer(buffer))
    return 2;
  const char *name = __llvm_profile_get_filename();
  expect("get_filename", name, sizeof "default.profraw", -1);
  expect("write_buffer", buffer, size + 8, (intptr_t)size);
  size_t needed, large = size + 4096;
  char *second = malloc(large);
  size_t written;
  if (profrt_write_buffer(second, large, &written, &needed))
    return 6;
  expect("written", &written, sizeof written, -1);
  expect("needed", &needed, sizeof needed, -1);
  expect("profrt_write_buffer", second, large, (intptr_t)written);
  char *third = malloc(large);
  if (profrt_dump_buffer(third, large, &written))
    return 7;
  expect("profrt_dump_buffer", third, large, (intptr_t)written);
  puts("seen");
  return 0;
}
