// What is no profile of this program in the pool's place: moved aside, reported once, and counting goes on.
// profrt: needs strace: makes system calls fail
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: object main.o
// profrt: object other.o -DOTHER
// profrt: program main main.o
// profrt: program other other.o
// profrt: ours $SRC/aside.sh
// profrt: official export LLVM_PROFILE_FILE=p/%m.profraw; main; pool=$(echo p/*); head -c 100 /dev/zero > $pool; main 2> /dev/null; main 2> /dev/null; ! $SRC/count.sh $pool main 2 > /dev/null 2>&1 && rm -rf p
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *__llvm_profile_get_filename(void);

#ifdef OTHER
int other(void) { return 1; }
#endif

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "squat")) {
    char name[4096];
    snprintf(name, sizeof(name), "%s.corrupt-%d", __llvm_profile_get_filename(), getpid());
    FILE *file = fopen(name, "w");
    fputs("mine", file);
    fclose(file);
  }
  return 7;
}
