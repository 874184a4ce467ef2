// Sixteen children that end at the same moment and append to one file: each profile is whole.
// profrt: only-ours: profiles of the official archive interleave in pieces of 4 KiB and the file becomes unreadable
// profrt: flags -fprofile-instr-generate -O0
// profrt: run LLVM_PROFILE_FILE=x.profraw main
// profrt: ours $PROFDATA show --counts --function=in_child x.profraw | grep -c 'Function count: 1' | grep -qx 16
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define ONE(n) int function_with_a_rather_long_name_##n(int x) { return x ? x > n : x < n; }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2)

void __llvm_profile_reset_counters(void);
int in_child(int x) { return x; }

int main(void) {
  int gate[2];
  char byte;
  if (pipe(gate))
    return 1;
  for (int i = 0; i < 16; i++)
    if (!fork()) {
      close(gate[1]);
      __llvm_profile_reset_counters();
      in_child(i);
      return (int)read(gate[0], &byte, 1);
    }
  close(gate[1]);
  int status, bad = 0;
  for (int i = 0; i < 16; i++)
    bad |= wait(&status) < 0 || status;
  return bad;
}
