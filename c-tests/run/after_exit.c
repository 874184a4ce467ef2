// Writes in a destructor, of a program that has written before: each count is in the file once.
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: only-ours: the official archive counts each write again
// profrt: variant plain
// profrt: run LLVM_PROFILE_FILE=x.profraw main && bash $SRC/counts.sh work=12 x.profraw && rm x.profraw
// profrt: variant merged
// profrt: run export LLVM_PROFILE_FILE=x%m.profraw; main && bash $SRC/counts.sh work=12 x*.profraw && main && bash $SRC/counts.sh work=24 x*.profraw && rm x*.profraw
// profrt: variant signals
// The destructor's write is the first one by a call.
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM LLVM_PROFILE_FILE=x.profraw main first && bash $SRC/counts.sh work=12 x.profraw && rm x.profraw
int __llvm_profile_write_file(void);

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

__attribute__((destructor)) static void late(void) {
  work();
  __llvm_profile_write_file();
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 10; i++)
    work();
  if (argc == 1 && __llvm_profile_write_file())
    return 1;
  work();
  return 0;
}
