// Counters that no program can have counted up to: sums are held at what readers take, and told with the function's hash.
// LLVM's wrap, and llvm-profdata refuses the whole file.
// profrt: clang 18..
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: ours LLVM_PROFILE_FILE=d/%m.profraw main 0x80000000000000 2> err; test $? = 7 && LLVM_PROFILE_FILE=d/%m.profraw main 0x80000000000000 2>> err; test $? = 7 && test ! -s err && $SRC/count.sh d/* odd 0x100000000000000 && $SRC/count.sh d/* even 6 && rm -r d err
// profrt: ours LLVM_PROFILE_FILE=d/%m.profraw main 5; LLVM_PROFILE_FILE=d/%m.profraw main 0xffffffffffffffff 2> err; test $? = 7 && $SRC/count.sh d/* odd 0x100000000000000 && test $(wc -l < err) = 1 && hash=$($PROFDATA show --all-functions --counts d/* | sed -n '/^  odd/,/Hash/s/.*Hash: //p') && grep -q "^LLVM Profile Warning: 1 counter in \"d/[0-9_]*.profraw\" reached 2^56, .* 0x[0-9a-f]*\.$" err && mv err odd.err && for i in 1 2 3; do LLVM_PROFILE_FILE=d/%m.profraw main 1 2> err; test $? = 7 && cmp err odd.err || exit 1; done; $SRC/count.sh d/* odd 0x100000000000000 && $SRC/count.sh d/* even 15 && rm -r d err odd.err
// profrt: ours LLVM_PROFILE_FILE=d/%m.profraw main 5; LLVM_PROFILE_FILE=d/%m.profraw main 0xfffffffffffffffb; LLVM_PROFILE_FILE=d/%m.profraw main all 2> err; grep -q 'Warning: [1-9][0-9]* counters in' err && $SRC/count.sh d/* odd 0x100000000000000 && $SRC/count.sh d/* even 0x100000000000000 && rm -r d err
// profrt: ours LLVM_PROFILE_FILE=d/x.profraw main buffer 2> err; test $? = 7 && test ! -s err && $SRC/count.sh d/* odd 0x100000000000000 && $SRC/count.sh d/* even 6 && rm -r d err
// profrt: official LLVM_PROFILE_FILE=d/%m.profraw main 5; LLVM_PROFILE_FILE=d/%m.profraw main 0xfffffffffffffffb; $SRC/count.sh d/* odd 0 && rm -r d
// profrt: official LLVM_PROFILE_FILE=d/%m.profraw main 0xffffffffffffffff; ! $PROFDATA merge d/* -o x 2> err && grep -q 'excessively large' err && rm -r d err
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *), __llvm_profile_merge_from_buffer(const char *, uint64_t);
uint64_t *__llvm_profile_begin_counters(void);
uint64_t *__llvm_profile_end_counters(void);

int even(int x) { return x ? 1 : 2; }

int main(int argc, char **argv) {
  uint64_t *first = __llvm_profile_begin_counters(), *last = __llvm_profile_end_counters();
  for (uint64_t *counter = first; counter < last; counter++)
    *counter = strcmp(argv[1], "all") ? 3 : UINT64_MAX;
  if (strcmp(argv[1], "all"))
    last[-1] = strcmp(argv[1], "buffer") ? strtoull(argv[1], 0, 0) : 1ull << 56;
  if (!strcmp(argv[1], "buffer")) {
    char *bytes = malloc(__llvm_profile_get_size_for_buffer());
    if (__llvm_profile_write_buffer(bytes) || __llvm_profile_merge_from_buffer(bytes, __llvm_profile_get_size_for_buffer()))
      return 1;
  }
  return 7;
}

// Its only counter is the last.
int odd(void) { return 1; }
