// A buffer that was written before its size was asked for has no space for values. The process merges it all the same.
// profrt: flags -fprofile-generate
// profrt: no-profile
// profrt: variant own
// profrt: run main && rm -f *.profraw
// profrt: variant file
// Such a profile in a pool file, too: its counts are added, and the values of this run.
// profrt: only-ours: LLVM's archive puts other values into the file
// profrt: ours LLVM_PROFILE_FILE=x-%m.profraw main one && main && mv out.profraw x-*.profraw && LLVM_PROFILE_FILE=x-%m.profraw main one > said && test ! -s said && $PROFDATA show --all-functions --counts --ic-targets x-*.profraw | grep -A4 'work_on:' | grep -q '\[6\]' && rm -f *.profraw said
#include <stdio.h>
#include <stdlib.h>

unsigned long long __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *), __llvm_profile_merge_from_buffer(const char *, unsigned long long);
char *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);

static int work_on(int x) { return x + 1; }
static int (*volatile f)(int) = work_on;
static char buffer[1 << 16];

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += f(i);
  if (argc > 1)
    return 0;
  // LLVM's size, which has no values.
  int written = __llvm_profile_write_buffer(buffer);
  unsigned long long size = __llvm_profile_get_size_for_buffer();
  int merged = __llvm_profile_merge_from_buffer(buffer, size);
  printf("%d %d %d\n", sum, written, merged);
  FILE *file = fopen("out.profraw", "w");
  fwrite(buffer, 1, size, file);
  fclose(file);
  return 0;
}
