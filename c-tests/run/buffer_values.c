// A buffer of a program with value sites: the official archive leaves the value data out and readers refuse what it wrote.
// profrt: only-ours: the size and the buffer of the official archive are of a file without its value data
// profrt: flags -fprofile-generate
// profrt: run main
// profrt: ours rm default*.profraw
// profrt: ours $PROFDATA show --all-functions --ic-targets out.profraw | grep -q 'work_on'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);

static int work_on(int x) { return x + 1; }
static int (*volatile f)(int) = work_on;

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += f(i);
  size_t size = __llvm_profile_get_size_for_buffer();
  char *buffer = calloc(1, size);
  int result = __llvm_profile_write_buffer(buffer);
  FILE *file = fopen("out.profraw", "w");
  fwrite(buffer, 1, size, file);
  fclose(file);
  return result + sum - 10;
}
