// Profiles that are none of this program: what the check says, and that the merge changes nothing.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant checked
// profrt: run for how in same header zero magic version count record records counters cut; do main check $how; done
// profrt: variant other-program
// profrt: object other.o other.c
// profrt: object main.o
// profrt: program main main.o
// profrt: program other other.o
// profrt: run LLVM_PROFILE_FILE=other.profraw other; main check file
// profrt: variant names
// profrt: run main check names
// profrt: differs stdout: names are compared; COMPATIBILITY: merge from buffer
// profrt: variant merged
// profrt: only-ours: the official archive merges what it would find incompatible, and reads beyond the buffer
// profrt: run for how in null empty header zero magic version count record records counters cut names; do main merge $how || exit 1; done
// profrt: ours rm -f default.profraw
// profrt: no-profile
// profrt: variant merged-values
// profrt: flags -mllvm -enable-value-profiling=true
// profrt: only-ours: the official archive merges what it would find incompatible, and reads beyond the buffer
// profrt: run for how in null empty header zero magic version count record records counters cut names; do main merge $how || exit 1; done
// profrt: ours rm -f default.profraw
// profrt: no-profile
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
int __llvm_profile_check_compatibility(const char *, uint64_t);
int __llvm_profile_merge_from_buffer(const char *, uint64_t);

__attribute__((noinline)) static int triple(int x) { return x * 3; }
static int (*volatile call)(int) = triple;
// A second record.
__attribute__((noinline)) int again(int x) { return x + 1; }

// Words of the header up to the number of names' bytes, and bytes of a record.
#ifndef __clang__
#error "only clang"
#elif __clang_major__ < 18
enum { WORDS = 11, RECORD = 48 };
#elif __clang_major__ < 19
enum { WORDS = 14, RECORD = 64 };
#elif __clang_major__ < 23
enum { WORDS = 16, RECORD = 64 };
#else
enum { WORDS = 19, RECORD = 72 };
#endif

// Nothing is counted between the two dumps.
#define QUIET __attribute__((no_profile_instrument_function))

QUIET static char *dump(uint64_t *size) {
  *size = __llvm_profile_get_size_for_buffer();
  char *profile = calloc(1, *size + 8);
  if (__llvm_profile_write_buffer(profile))
    exit(2);
  return profile;
}

QUIET int main(int argc, char **argv) {
  int sum = call(argc) + again(argc);
  uint64_t size, all;
  char *profile = dump(&all);
  uint64_t words[32];
  memcpy(words, profile, sizeof words);
  uint64_t records = WORDS * 8 + words[2];
  const char *how = argv[2];
  size = all;
  if (!strcmp(how, "header"))
    size = WORDS * 8;
  else if (!strcmp(how, "zero"))
    memset(profile, 0, size);
  else if (!strcmp(how, "empty"))
    size = 0;
  else if (!strcmp(how, "null"))
    profile = NULL;
  else if (!strcmp(how, "magic"))
    profile[0] ^= 1;
  else if (!strcmp(how, "version"))
    profile[8] ^= 1;
  else if (!strcmp(how, "count"))
    profile[24] ^= 1;
  else if (!strcmp(how, "record"))
    profile[records + 8] ^= 1;
  else if (!strcmp(how, "records"))
    profile[records + RECORD] ^= 1;
  else if (!strcmp(how, "counters"))
    profile[40] ^= 1;
  else if (!strcmp(how, "cut"))
    size = records + 8;
  else if (!strcmp(how, "names"))
    profile[records + words[3] * RECORD + words[5] * 8 + 3] ^= 1;
  else if (!strcmp(how, "file")) {
    FILE *file = fopen("other.profraw", "rb");
    size = fread(profile, 1, size, file);
    fclose(file);
  }
  if (!strcmp(argv[1], "check")) {
    printf("%s %d\n", how, __llvm_profile_check_compatibility(profile, size));
    return sum < 0;
  }
  uint64_t now;
  char *before = dump(&now);
  int result = __llvm_profile_merge_from_buffer(profile, size);
  char *after = dump(&now);
  int same = now == all && !memcmp(before, after, all);
  printf("%s %d %s\n", how, result, same ? "unchanged" : "changed");
  return !result || !same;
}
