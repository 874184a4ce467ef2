// Null arguments that LLVM's runtime accepts, and those at which it crashes but ours does not.
// profrt: flags -fprofile-generate -w
// profrt: run main
// profrt: ours LLVM_PROFILE_FILE=more.profraw main more && rm more.profraw
#include <stdint.h>
#include <stdio.h>

typedef struct record record;
void __llvm_profile_instrument_target(uint64_t, void *, uint32_t);
void __llvm_profile_instrument_target_value(uint64_t, void *, uint32_t, uint64_t);
void __llvm_profile_instrument_memop(uint64_t, void *, uint32_t);
int __llvm_profile_write_buffer(char *);
int __llvm_profile_merge_from_buffer(const char *, uint64_t);
int __llvm_profile_check_compatibility(const char *, uint64_t);
void __llvm_profile_set_filename(const char *);
void __llvm_profile_recursive_mkdir(char *);
void __llvm_profile_set_file_object(void *, int);
uint64_t __llvm_profile_get_num_data(const void *, const void *);

static int f(int x) { return x + 1; }
static int (*volatile call)(int) = f;

// Hidden from the compiler.
static void *volatile null;

static void tolerated(void) {
  __llvm_profile_instrument_target(1, null, 0);
  __llvm_profile_instrument_target_value(2, null, 0, 9);
  __llvm_profile_instrument_target_value(2, null, 0, 0);
  __llvm_profile_instrument_memop(3, null, 0);
  printf("check %d\n", __llvm_profile_check_compatibility(null, 0));
  __llvm_profile_set_file_object(null, 0);
  printf("records %d\n", (int)__llvm_profile_get_num_data(null, null));
  __llvm_profile_set_filename(null);
}

static int more(void) {
  __llvm_profile_recursive_mkdir(null);
  return __llvm_profile_write_buffer(null) == -1 && __llvm_profile_merge_from_buffer(null, 0) == 1 &&
         __llvm_profile_merge_from_buffer(null, 1000) == 1 && __llvm_profile_check_compatibility(null, 1000) == 1;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return call(more()) - 2;
  tolerated();
  return call(1) - 2;
}
