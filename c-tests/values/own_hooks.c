// Value sites at which our hooks are not called, for the program has its own: nothing brings along what reads and writes values. The
// records are there all the same, without values, and runs are united.
// profrt: flags -fprofile-generate
// LLVM's archive comes as a whole.
// profrt: lflags -Wl,-z,muldefs -Wl,--build-id=none
// profrt: object main.o
// profrt: object hooks.o bare -DHOOKS
// profrt: program main main.o hooks.o
// profrt: program counted main.o
// profrt: run main 1 2
// profrt: ours ! nm $BIN/main | grep ' [^wU] profrt_values_write$' && nm $BIN/counted | grep -q ' [^wU] profrt_values_write$'
// profrt: ours for i in 1 2; do LLVM_PROFILE_FILE=d/%m.profraw main 1 2; done; $PROFDATA show --counts --function=main d/* | tee two.txt; grep -q 'Block counts: .6, 2.' two.txt && rm -r d two.txt
// Values of the same program that does count them are not lost: the profile goes beside the file.
// profrt: ours LLVM_PROFILE_FILE=d/%m.profraw counted 1 2 && LLVM_PROFILE_FILE=d/%m.profraw main 1 2 2> said.txt && grep -q 'is damaged, or of another program' said.txt && test $(ls d | wc -l) = 2 && $PROFDATA show --all-functions --ic-targets d/*_0.profraw | grep -q 'two, *1 ]' && rm -r d said.txt
#ifdef HOOKS
#include <stdint.h>

void __llvm_profile_instrument_target(uint64_t value, void *data, uint32_t site) {
  (void)value, (void)data, (void)site;
}

void __llvm_profile_instrument_memop(uint64_t value, void *data, uint32_t site) {
  (void)value, (void)data, (void)site;
}
#else
#include <stdio.h>
#include <string.h>

static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};
static char from[64], to[64];

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < argc; i++) {
    sum += table[i & 1](i);
    memcpy(to, from, (unsigned)(i + argc));
  }
  printf("%d\n", sum);
  return 0;
}
#endif
