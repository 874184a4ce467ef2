// Names from several sources, one after the other: a weaker source does not take the place of a stronger one.
// profrt: flags -fprofile-instr-generate
// profrt: variant environment
// profrt: skip files, content, header, sections, merge: files of names that were left; LLVM's archive makes them when they are set
// profrt: run for steps in "u i" "u i i" "ea i" "ea i u i" "e i" "fx i" "fx u i" "fx n i" "fx n u i" "n i" "n u i" "n ea i" "fx ea i" "ea i eb i" "u n i" "u i ea i" "n fx i"; do LLVM_PROFILE_FILE=E main $steps; done
// profrt: variant none
// profrt: skip files, content, header, sections, merge: files of names that were left; LLVM's archive makes them when they are set
// profrt: run for steps in "u i" "ea i" "ea i u i" "e i" "fx i" "fx n i" "n i" "n ea i" "fx ea i" "ea i eb i" "ea i e i" "n fx i"; do main $steps; done
// profrt: variant compiled-in
// profrt: flags -fprofile-instr-generate=C
// profrt: skip files, content, header, sections, merge: files of names that were left; LLVM's archive makes them when they are set
// profrt: run for steps in "u i" "ea i" "ea i u i" "ea i e i" "fx i" "fx n i" "n i"; do main $steps; LLVM_PROFILE_FILE=E main $steps; done
// profrt: variant where-it-goes
// profrt: run LLVM_PROFILE_FILE=x.profraw main u i
#include <stdio.h>
#include <stdlib.h>

void __llvm_profile_set_filename(const char *), __llvm_profile_initialize_file(void);
const char *__llvm_profile_get_filename(void);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    switch (*step) {
    case 'u':
      unsetenv("LLVM_PROFILE_FILE");
      break;
    case 'e':
      setenv("LLVM_PROFILE_FILE", step + 1, 1);
      break;
    case 'f':
      __llvm_profile_set_filename(step + 1);
      break;
    case 'n':
      __llvm_profile_set_filename(0);
      break;
    case 'i':
      __llvm_profile_initialize_file();
    }
    printf("%s: %s\n", step, __llvm_profile_get_filename());
  }
  return 0;
}
