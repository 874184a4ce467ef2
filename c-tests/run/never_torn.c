// While a program runs again and again, whoever looks at the file sees a whole profile, or none.
// profrt: only-ours: the official archive truncates the file when the program starts
// profrt: flags -fprofile-instr-generate
// profrt: run main > size
// profrt: run LLVM_PROFILE_FILE=default.profraw; (for i in $(seq 100); do main >/dev/null; done; touch stop) & __LLVM_PROFILE_RT_INIT_ONCE=1 main watch
// profrt: run rm stop size
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void __llvm_profile_set_filename(const char *);
void __llvm_profile_set_dumped(void);

int main(int argc, char **argv) {
  (void)argv;
  if (argc < 2)
    return 0;
  __llvm_profile_set_filename("watch.other");
  __llvm_profile_set_dumped();
  struct stat first, now;
  if (stat("default.profraw", &first))
    return 1;
  while (access("stop", F_OK))
    if (!stat("default.profraw", &now) && now.st_size != first.st_size)
      return 2;
  return 0;
}
