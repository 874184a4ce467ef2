// The calls are hidden: a shared object that makes them speaks of its own records only.
// profrt: flags -fPIC -fprofile-instr-generate
// profrt: object main.o -DMAIN
// profrt: object lib.o
// profrt: shared libone.so lib.o
// profrt: program main main.o libone.so
// profrt: run main
#include <stdint.h>
#include <stdio.h>

void __llvm_profile_set_filename(const char *);
const char *__llvm_profile_get_filename(void);
int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
uint64_t __llvm_profile_get_size_for_buffer(void);

int lib_work(int x);
void lib_report(void);

#ifdef MAIN
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += lib_work(i);
  lib_report();
  printf("main %s %d\n", __llvm_profile_get_filename(), (int)__llvm_profile_get_size_for_buffer());
  return sum - 10;
}
#else
int lib_work(int x) { return x > 9 ? 0 : x; }
void lib_report(void) {
  __llvm_profile_set_filename("lib.profraw");
  printf("lib %s %d\n", __llvm_profile_get_filename(), (int)__llvm_profile_get_size_for_buffer());
  fflush(stdout);
}
#endif
