// Programs whose records and names are in the binary only: the profiles of two have nothing in them that tells them apart but
// the binary's id.
// profrt: clang 18..
// profrt: only-ours: the official archive adds the counts of one program to those of the other
// profrt: flags -fprofile-generate -mllvm -profile-correlate=binary
// profrt: object other.o -DOTHER
// profrt: object main.o
// profrt: program main -Wl,--build-id main.o
// profrt: program other -Wl,--build-id other.o
// profrt: variant pool
// profrt: run export LLVM_PROFILE_FILE=p%m.profraw; main; other; main; other; test $(ls *.profraw | wc -l) = 2 && rm *.profraw
// profrt: no-profile
// profrt: variant buffer
// profrt: run LLVM_PROFILE_FILE=a.profile main; main a.profile | grep 'merge 0' && other a.profile | grep 'merge 1'
// profrt: run rm *.prof*
// profrt: no-profile
// profrt: variant temporal
// Nothing tells which counters are time stamps: a second write has what was counted since, all the same.
// profrt: cflags -mllvm -pgo-temporal-instrumentation
// profrt: run LLVM_PROFILE_FILE=x.profraw main - twice && $PROFDATA merge --binary-file=$BIN/main x.profraw -o t && $PROFDATA show --counts --function=work t | grep -q 'Block counts: .2' && rm x.profraw t
// profrt: no-profile
#include <stdint.h>
#include <stdio.h>

int __llvm_profile_merge_from_buffer(const char *, uint64_t);
int __llvm_profile_write_file(void);

#ifdef OTHER
__attribute__((noinline)) static int work(int x) { return x > 1 ? x * 5 : x; }
#else
__attribute__((noinline)) static int work(int x) { return x > 1 ? x * 3 : x; }
#endif

int main(int argc, char **argv) {
  static char profile[1 << 16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file) {
    uint64_t size = fread(profile, 1, sizeof profile, file);
    fclose(file);
    printf("merge %d\n", __llvm_profile_merge_from_buffer(profile, size));
  }
  if (argc > 2)
    return work(2) < 0 || __llvm_profile_write_file() || work(3) < 0;
  return work(argc) < 0;
}
