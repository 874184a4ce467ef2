// __llvm_profile_merge_from_buffer and __llvm_profile_check_compatibility with profiles that are right: what this process has
// dumped, and what one before it has written.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main own; main longer
// profrt: run main file; mv merged.profraw kept.profile; main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant ir
// profrt: flags -fprofile-generate -mllvm -disable-vp
// profrt: run main own; main longer
// profrt: run main file; mv merged.profraw kept.profile; main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant ir-values
// profrt: flags -fprofile-generate
// profrt: lflags -no-pie
// profrt: differs sections,merge: value data of the buffer is merged too; COMPATIBILITY: merge from buffer
// profrt: run main file; mv merged.profraw kept.profile; main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant ir-values-elsewhere
// profrt: only-ours: the official archive merges no value data of a buffer
// profrt: flags -fprofile-generate
// profrt: run main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: run $PROFDATA show --all-functions --ic-targets merged.profraw | grep -q 'triple, *8 '
// profrt: variant entry-bytes
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: run main own; main longer
// profrt: run main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant block-bytes
// profrt: clang 17..
// profrt: flags -fprofile-generate -mllvm -pgo-block-coverage -mllvm -disable-vp
// profrt: run main own; main longer
// profrt: run main file; mv merged.profraw kept.profile; main file more; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant mcdc
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: run main own; main longer
// profrt: run main file; mv merged.profraw kept.profile; main file more; rm kept.profile
// profrt: official rm -f default*.profraw
// profrt: variant mcdc-values
// profrt: clang 18..
// profrt: only-ours: the official archive merges no value data of a buffer
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -mllvm -enable-value-profiling=true
// profrt: run main file; mv merged.profraw kept.profile; main file more; rm kept.profile
// profrt: run $PROFDATA show --all-functions --ic-targets merged.profraw | grep -q 'triple, *8 '
// profrt: variant mcdc-values-pool
// profrt: clang 18..
// profrt: only-ours: the official archive looks for value data where the padding behind the bitmap begins, and crashes
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -mllvm -enable-value-profiling=true
// profrt: run for i in 1 2 3; do main pool; done
// profrt: run $PROFDATA show --all-functions --ic-targets pool*.profraw | grep -q 'triple, *12 '
// profrt: variant block-bytes-values-pool
// profrt: clang 17..
// profrt: only-ours: the official archive looks for value data right behind the nine bytes of counters, and crashes with clang 19
// profrt: flags -fprofile-generate -mllvm -pgo-block-coverage
// profrt: run for i in 1 2 3; do main pool; done
// profrt: run $PROFDATA show --all-functions --ic-targets pool*.profraw | grep -q 'triple, *12 '
// profrt: variant temporal
// profrt: clang 17..
// profrt: only-ours: the official archive says that it cannot
// profrt: flags -fprofile-generate -mllvm -pgo-temporal-instrumentation
// profrt: run main file; mv merged.profraw kept.profile; main file; rm kept.profile
// profrt: run $PROFDATA show --counts --function=triple merged.profraw | grep 'Block counts: .8'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
void __llvm_profile_set_filename(const char *);
void __llvm_profile_reset_counters(void);
int __llvm_profile_check_compatibility(const char *, uint64_t);
int __llvm_profile_merge_from_buffer(const char *, uint64_t);

__attribute__((noinline)) static int triple(int x) { return x * 3; }
static int (*volatile call)(int) = triple;
static int between(int a, int b, int c) { return a < b && (b < c || c == 0) && a != 3; }

static void merge(const char *profile, uint64_t size) {
  printf("check %d ", __llvm_profile_check_compatibility(profile, size));
  printf("merge %d\n", __llvm_profile_merge_from_buffer(profile, size));
}

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += call(i) + between(i, argc, i % 3);
  if (!strcmp(argv[1], "pool")) {
    __llvm_profile_set_filename("pool%m.profraw");
  } else if (strcmp(argv[1], "file")) {
    __llvm_profile_set_filename(strcmp(argv[1], "own") ? "longer.profraw" : "own.profraw");
    uint64_t size = __llvm_profile_get_size_for_buffer();
    uint64_t more = strcmp(argv[1], "longer") ? 0 : 100;
    char *profile = calloc(1, size + more);
    printf("write %d\n", __llvm_profile_write_buffer(profile));
    __llvm_profile_reset_counters();
    merge(profile, size + more);
    // Once more, for counts that are not 1.
    merge(profile, size + more);
  } else {
    __llvm_profile_set_filename("merged.profraw");
    FILE *file = fopen("kept.profile", "rb");
    if (file) {
      static char profile[1 << 16];
      merge(profile, fread(profile, 1, sizeof profile, file));
      fclose(file);
    }
  }
  return sum < 0;
}
