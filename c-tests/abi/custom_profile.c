// Profiles of other targets, beside the image's own (clang 22).
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: differs profile: LLVM 22 writes the names where those of vtables belong; COMPATIBILITY: custom profile
// profrt: variant default
// profrt: run LLVM_PROFILE_FILE=d/x.profraw main
// profrt: ours llvm-profdata-22 show --all-functions d/gpu.x.profraw | grep -q 'custom_profile.c;write_it\|main'
// profrt: variant twice
// profrt: run main
// profrt: run main
// profrt: ours main null
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

int __llvm_write_custom_profile(const char *, const char *, const char *, const char *, const char *, const char *,
                                const char *, const uint64_t *);
const char *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);
const char *__llvm_profile_begin_names(void), *__llvm_profile_end_names(void);
const char *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);

static int write_it(const char *target, const uint64_t *version) {
  return __llvm_write_custom_profile(target, __llvm_profile_begin_data(), __llvm_profile_end_data(),
                                     __llvm_profile_begin_counters(), __llvm_profile_end_counters(),
                                     __llvm_profile_begin_names(), __llvm_profile_end_names(), version);
}

int main(int argc, char **argv) {
  if (argc > 1)
    return write_it(0, 0) == -1 ? 0 : 1;
  uint64_t ir = 10 | (1ull << 56);
  mkdir("d", 0755);
  printf("%d", write_it("gpu", 0));
  printf(" %d\n", write_it("other", &ir));
  return 0;
}
