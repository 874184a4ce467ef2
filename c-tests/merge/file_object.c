// A stream of the program that is merged into: __llvm_profile_set_file_object(file, 1).
// profrt: variant empty
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+
// profrt: official rm -f default*.profraw
// profrt: variant three-runs
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+; main r+; main r+
// profrt: official rm -f default*.profraw
// profrt: variant write-only
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w; main w
// profrt: official rm -f default*.profraw
// profrt: variant values
// profrt: flags -fprofile-generate
// profrt: lflags -no-pie
// profrt: run main w+; main r+; main r+
// profrt: official rm -f default*.profraw
// profrt: variant foreign
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run head -c 400 /dev/zero > fo.profraw; main r+; cmp fo.profraw <(head -c 400 /dev/zero) && rm fo.profraw
// profrt: skip stderr: the reason is told in other words, and once
// profrt: no-profile
// profrt: official rm -f default*.profraw
// profrt: variant other-program
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object other.o other.c
// profrt: object main.o
// profrt: program main main.o
// profrt: program other other.o
// profrt: run LLVM_PROFILE_FILE=fo.profraw other; cp fo.profraw before; main r+; cmp fo.profraw before && rm before
// profrt: skip stderr: the reason is told in other words, and once
// profrt: official rm -f default*.profraw
// profrt: variant text-before
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+ text; cat fo.profraw && rm fo.profraw
// profrt: skip stderr: the reason is told in other words, and once
// profrt: no-profile
// profrt: official rm -f default*.profraw
// profrt: variant appending
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: only-ours: the official archive leaves a file that nobody can read
// profrt: run main w+; main a+; main a+; $PROFDATA show --function=main --counts fo.profraw | grep 'Function count: 3'
// profrt: variant twice
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+ twice; $PROFDATA show --function=main fo.profraw | grep -q 'Function count: '
// profrt: official rm -f default*.profraw
// profrt: differs profile: each count reaches the file once; CHANGELOG: write_file
// profrt: ours $PROFDATA show --function=main fo.profraw | grep -q 'Function count: 1'
// profrt: official $PROFDATA show --function=main fo.profraw | grep -q 'Function count: 2'
#include <stdio.h>
#include <string.h>

void __llvm_profile_set_file_object(FILE *, int);
int __llvm_profile_write_file(void);

__attribute__((noinline)) static int triple(int x) { return x * 3; }
static int (*volatile call)(int) = triple;

int main(int argc, char **argv) {
  FILE *file = fopen("fo.profraw", argv[1]);
  int text = argc > 2 && !strcmp(argv[2], "text");
  if (text) {
    fputs("text, and no profile", file);
    fflush(file);
  }
  __llvm_profile_set_file_object(file, 1);
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += call(i);
  if (argc > 2 && !text)
    printf("write %d\n", __llvm_profile_write_file());
  return sum != 18;
}
