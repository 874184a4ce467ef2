// The runtime as an object that was linked before: `gold -r` drops the mark that keeps a section, and lld drops the section when nothing
// refers to it. Values are written all the same.
// profrt: flags -fprofile-generate
// profrt: program runtime bare -r -nostdlib -Wl,-u,__llvm_profile_runtime -Wl,-u,__llvm_profile_instrument_target {resources}/lib/linux/libclang_rt.profile-x86_64.a -fuse-ld=gold
// profrt: program main main.o runtime -fuse-ld=lld -Wl,--gc-sections
// profrt: not mapped all: the whole pages of profrt-continuous.o are in the runtime that was linked before
// profrt: run main
#include <stdio.h>

static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 50; i++)
    sum += table[i % 3 == 0](i);
  printf("%d\n", sum);
  return 0;
}
