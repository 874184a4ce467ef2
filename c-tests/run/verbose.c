// LLVM_PROFILE_VERBOSE: where the name came from.
// profrt: flags -fprofile-instr-generate
// profrt: variant default
// profrt: run LLVM_PROFILE_VERBOSE=1 main
// profrt: variant env
// profrt: run LLVM_PROFILE_VERBOSE=1 LLVM_PROFILE_FILE=v.profraw main
// profrt: variant compiled-in
// profrt: flags -fprofile-instr-generate=c.profraw
// profrt: run LLVM_PROFILE_VERBOSE=1 main
// profrt: variant zero
// profrt: run LLVM_PROFILE_VERBOSE=0 main
// profrt: variant empty
// profrt: run LLVM_PROFILE_VERBOSE= main
// profrt: variant false
// profrt: run LLVM_PROFILE_VERBOSE=false main
// profrt: variant set
// profrt: differs stderr: the old name in the note is the old name, not the new one; COMPATIBILITY: override note
// profrt: run LLVM_PROFILE_VERBOSE=1 LLVM_PROFILE_FILE=old.profraw main new.profraw
// profrt: official rm old.profraw
// profrt: ours mkdir t; cd t; LLVM_PROFILE_VERBOSE=1 LLVM_PROFILE_FILE=old.profraw main new.profraw 2>&1 | grep -q 'Override old profile path "old.profraw" via environment variable to "new.profraw" via runtime API' && rm -r ../t
void __llvm_profile_set_filename(const char *);

int main(int argc, char **argv) {
  if (argc > 1)
    __llvm_profile_set_filename(argv[1]);
  return 0;
}
