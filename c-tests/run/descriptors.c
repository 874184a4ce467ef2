// No descriptor stays open after a write, and a program that was started meanwhile inherits none.
// profrt: flags -fprofile-instr-generate
// profrt: run LLVM_PROFILE_FILE=x.profraw main
// profrt: skip profile: what the second file holds of the counts of the first is another test
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __llvm_profile_set_filename(const char *);

static int open_ones(void) {
  int count = 0;
  for (int fd = 0; fd < 200; fd++)
    count += lseek(fd, 0, SEEK_CUR) >= 0 || access("/dev/null", F_OK) || dup2(fd, fd) >= 0;
  return count;
}

int main(void) {
  int before = open_ones();
  __llvm_profile_set_filename("y.profraw");
  int result = __llvm_profile_write_file();
  __llvm_profile_set_filename("x.profraw");
  printf("%d %d\n", result, open_ones() - before);
  return 0;
}
