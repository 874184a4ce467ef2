// A write after which nothing was counted adds no profile; of byte coverage, a later one has what was covered since.
// profrt: only-ours: LLVM's runtime counts a second write again
// profrt: no-profile
// profrt: variant words
// profrt: flags -fprofile-instr-generate
// profrt: run main; $SRC/profiles.sh 1 one=1 default.profraw
// profrt: run main more; bash $SRC/counts.sh one=1 default.profraw && $SRC/profiles.sh 3 two=2 default.profraw
// profrt: variant bytes
// profrt: clang 19..
// profrt: flags -fprofile-instr-generate -mllvm -enable-single-byte-coverage=true
// profrt: run main; $SRC/profiles.sh 1 one=1 default.profraw
// profrt: run main more; bash $SRC/counts.sh one=1 default.profraw && $SRC/profiles.sh 2 two=1 default.profraw
// profrt: run export LLVM_PROFILE_FILE=%m; main more; bash $SRC/counts.sh one=1 two=1 *_0 && rm *_0
// profrt: variant ir-bytes
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: run export LLVM_PROFILE_FILE=default.profraw; main; $SRC/profiles.sh 1 one=1 default.profraw
// profrt: run export LLVM_PROFILE_FILE=default.profraw; main more; bash $SRC/counts.sh one=1 default.profraw && $SRC/profiles.sh 2 two=1 default.profraw
int __llvm_profile_write_file(void);

__attribute__((noinline)) void one(void) { __asm__ volatile(""); }
__attribute__((noinline)) void two(void) { __asm__ volatile(""); }

__attribute__((noinline)) static int less(void) {
  one();
  __llvm_profile_write_file();
  __llvm_profile_write_file();
  return __llvm_profile_write_file();
}

__attribute__((noinline)) static int more(void) {
  one();
  __llvm_profile_write_file();
  __llvm_profile_write_file();
  two();
  __llvm_profile_write_file();
  two();
  return __llvm_profile_write_file();
}

static int (*const parts[])(void) = {less, more};

int main(int argc, char **argv) { return (void)argv, parts[argc > 1](); }
