// A FILE* of the caller: its buffered text comes first, it is never closed.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: variant at-exit
// profrt: run main text; tail -c +9 fo.out > fo.profraw; head -c 8 fo.out > head; rm fo.out
// profrt: official rm default.profraw
// profrt: variant nothing-before
// profrt: run main
// profrt: official rm default.profraw
// profrt: variant write-then-text
// profrt: run main text write text; head -c 8 fo.out > head; tail -c +9 fo.out | head -c $(( ( $(stat -c %s fo.out) - 16 ) / 2 )) > fo.profraw; tail -c $(( ( $(stat -c %s fo.out) - 16 ) / 2 + 8 )) fo.out | head -c 8 > between; rm fo.out
// profrt: skip profile: whether the second write holds counts again is another test
// profrt: official rm default.profraw
// profrt: variant back-to-null
// profrt: run main null; test -f fo.out && test ! -s fo.out && rm fo.out
// profrt: variant name-with-object
// profrt: run LLVM_PROFILE_FILE=n.profraw main name
// profrt: official rm n.profraw
// profrt: variant read-only
// profrt: run main readonly; rm fo.out
// profrt: no-profile
// profrt: official rm default.profraw
#include <stdio.h>
#include <string.h>

void __llvm_profile_set_file_object(FILE *, int);
int __llvm_profile_write_file(void);
const char *__llvm_profile_get_filename(void);

int main(int argc, char **argv) {
  int only = argc > 1 && !strcmp(argv[1], "readonly");
  if (only)
    fclose(fopen("fo.out", "w"));
  FILE *file = fopen("fo.out", only ? "r" : "w+");
  __llvm_profile_set_file_object(file, 0);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "text"))
      fprintf(file, "textual\n");
    else if (!strcmp(argv[i], "write"))
      printf("write %d %d\n", __llvm_profile_write_file(), ftell(file) > 100);
    else if (!strcmp(argv[i], "null"))
      __llvm_profile_set_file_object(NULL, 0);
    else if (!strcmp(argv[i], "name"))
      printf("name %s\n", __llvm_profile_get_filename());
  }
  return 0;
}
