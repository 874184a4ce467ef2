// Long runs of counts, and of zeros, which become holes: the file is the same as without them.
// profrt: flags -fprofile-instr-generate
// profrt: not merged all: LLVM's adds up what records have, and here they do not have most counters
// profrt: variant full
// profrt: run main full
// profrt: ours for once in '' 1; do env ${once:+__LLVM_PROFILE_RT_INIT_ONCE=1} LLVM_PROFILE_FILE=other.profraw main full; done; tail -c $(stat -c %s default.profraw) other.profraw | cmp -i 4096 - default.profraw; r=$?; rm other.profraw; exit $r
// profrt: variant gaps
// profrt: run main gaps
// profrt: ours for once in '' 1; do env ${once:+__LLVM_PROFILE_RT_INIT_ONCE=1} LLVM_PROFILE_FILE=other.profraw main gaps; done; tail -c $(stat -c %s default.profraw) other.profraw | cmp -i 4096 - default.profraw; r=$?; rm other.profraw; exit $r
// profrt: ours [ $(($(stat -c %b default.profraw) * 512)) -lt $(($(stat -c %s default.profraw) / 2)) ]
// profrt: variant half
// Space for the counts, and a hole after them.
// profrt: run main half
// profrt: ours for once in '' 1; do env ${once:+__LLVM_PROFILE_RT_INIT_ONCE=1} LLVM_PROFILE_FILE=other.profraw main half; done; tail -c $(stat -c %s default.profraw) other.profraw | cmp -i 4096 - default.profraw; r=$?; rm other.profraw; exit $r
// profrt: variant merged
// profrt: only-ours: LLVM's adds up what records have, and here they do not have most counters
// profrt: run for f in full half gaps full; do LLVM_PROFILE_FILE=united-%m.profraw main $f; done; LLVM_PROFILE_FILE=sum.profraw main sum
// profrt: run [ $(stat -c %s united-*.profraw) = $(stat -c %s sum.profraw) ] && cmp -n 4000000 -i 4096 united-*.profraw sum.profraw
// profrt: variant merged-stripes
// A merge leaves holes too.
// profrt: only-ours: LLVM's adds up what records have, and here they do not have most counters
// profrt: run LLVM_PROFILE_FILE=united-%m.profraw main stripes; LLVM_PROFILE_FILE=plain.profraw main stripes; cmp -n 4000000 -i 4096 united-*.profraw plain.profraw
// profrt: run for f in *.profraw; do [ $(($(stat -c %b $f) * 512)) -lt $(($(stat -c %s plain.profraw) * 5 / 8)) ] || exit 1; done
#include <stdint.h>
#include <string.h>

// Counters of nobody, as many as a large program has: 4 MB.
#define MANY (512 * 1024)
__attribute__((section("__llvm_prf_cnts"), used)) static uint64_t counters[MANY];

int main(int argc, char **argv) {
  int sum = !strcmp(argv[1], "sum");
  int full = sum * 2 + !strcmp(argv[1], "full"), gaps = sum + !strcmp(argv[1], "gaps"), half = sum + !strcmp(argv[1], "half");
  int stripes = !strcmp(argv[1], "stripes");
  for (int i = 0; i < MANY; i++) {
    int times = full + gaps * (i / 512 % 16 == 3) + half * (i < MANY / 2) + stripes * (i / 32768 % 2);
    // What is zero is not touched.
    if (times > 0)
      counters[i] += times * (i + 1ull);
  }
  return 0;
}
