// Order file instrumentation, up to clang 19: the buffer and the file beside the profile. (The profile itself is empty, and
// 14 leaves a file that readers refuse.)
// profrt: clang 16..19
// profrt: flags -forder-file-instrumentation
// profrt: cflags -O1
// profrt: variant default
// profrt: run main
// profrt: run main
// profrt: variant named
// profrt: run LLVM_PROFILE_FILE=d.%h.profraw main; mv d.*.profraw.order d.order
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int __llvm_orderfile_dump(void), __llvm_orderfile_write_file(void);
const unsigned *__llvm_profile_begin_orderfile(void);

__attribute__((noinline)) static int one(int x) { return x + 1; }
__attribute__((noinline)) static int two(int x) { return x * 2; }

int main(int argc, char **argv) {
  printf("%d %d\n", one(argc), two(argc));
  const unsigned *order = __llvm_profile_begin_orderfile();
  printf("%d %d\n", order != 0, __llvm_orderfile_write_file());
  FILE *f = fopen(argc > 1 ? argv[1] : "default.profraw.order", "rb");
  if (f) {
    static char there[65536 * 8 + 8];
    size_t n = fread(there, 1, sizeof there, f);
    printf("%zu %d\n", n, memcmp(there, order, n));
    fclose(f);
  }
  // The other call writes the file as well.
  printf("%d", unlink("default.profraw.order"));
  printf(" %d", __llvm_orderfile_dump());
  printf(" %d\n", access("default.profraw.order", F_OK));
  return 0;
}
