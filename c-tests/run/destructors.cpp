// Destructors count: the profile is written behind them. Nothing is written twice, by whatever way the process ends.
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: only-ours: LLVM's runtime writes before them. COMPATIBILITY: destructors
// profrt: variant plain
// profrt: run LLVM_PROFILE_FILE=x.profraw main && bash $SRC/counts.sh in_object=1 in_destructor=1 work=10 x.profraw && rm x.profraw
// profrt: variant merged
// profrt: run export LLVM_PROFILE_FILE=x%m.profraw; main && main && bash $SRC/counts.sh in_object=2 in_destructor=2 work=20 x*.profraw && rm x*.profraw
// profrt: variant continuous
// profrt: run LLVM_PROFILE_FILE=x%c.profraw main && bash $SRC/counts.sh in_object=1 in_destructor=1 work=10 x.profraw && rm x.profraw
// profrt: variant written-in-a-destructor
// profrt: run LLVM_PROFILE_FILE=x.profraw main write && bash $SRC/counts.sh in_object=1 in_destructor=1 work=10 x.profraw && rm x.profraw
// profrt: run export LLVM_PROFILE_FILE=x%m.profraw; main write && main write && bash $SRC/counts.sh in_object=2 in_destructor=2 work=20 x*.profraw && rm x*.profraw
// profrt: variant written-after-them
// A handler writes when a library's destructor raises its signal.
// profrt: object main.o
// profrt: object late.o -DLATE bare
// profrt: shared late.so late.o
// profrt: program main main.o -Wl,--no-as-needed late.so
// profrt: run LLVM_PROFILE_FILE=x.profraw main write && bash $SRC/counts.sh in_object=1 in_destructor=1 work=10 x.profraw && rm x.profraw
// profrt: run export LLVM_PROFILE_FILE=x%m.profraw; main && main && bash $SRC/counts.sh in_object=2 in_destructor=2 work=20 x*.profraw && rm x*.profraw
// profrt: variant quick-exit
// profrt: run LLVM_PROFILE_FILE=x.profraw main quick && test ! -e x.profraw
// profrt: variant leak
// LeakSanitizer ends the process in an exit handler, before destructors.
// profrt: flags -fsanitize=address
// profrt: run LLVM_PROFILE_FILE=x.profraw main leak 2>said; test $? = 1 && grep -q 'detected memory leaks' said && bash $SRC/counts.sh work=10 x.profraw && rm x.profraw said
// profrt: variant unloaded
// profrt: object loads.o -DLOADS bare
// profrt: object library.o -fPIC
// profrt: shared library.so library.o
// profrt: program main loads.o -ldl
// The program has counted nothing, and adds no profile: `llvm-profdata` 14 would misread the file.
// profrt: run main && bash $SRC/counts.sh in_object=1 in_destructor=1 default.profraw && test "$(grep -ao rforpl default.profraw | wc -l)" = 1 && rm default.profraw
#if defined LATE
#include <signal.h>
__attribute__((destructor)) static void late(void) { raise(SIGUSR1); }
#elif defined LOADS
#include <dlfcn.h>
#include <unistd.h>
int main() {
  void *library = dlopen("library.so", RTLD_NOW);
  if (!library || dlclose(library))
    return 1;
  // What was unloaded has written.
  return access("default.profraw", F_OK);
}
#else
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
int __llvm_profile_write_file(void);
__attribute__((noinline)) void in_object(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_destructor(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
}
static bool writes;
struct Object {
  ~Object() {
    in_object();
    if (writes)
      __llvm_profile_write_file();
  }
} object;
__attribute__((destructor)) static void destructor(void) {
  in_destructor();
  if (writes)
    __llvm_profile_write_file();
}
static void handler(int) { __llvm_profile_write_file(); }

int main(int argc, char **argv) {
  signal(SIGUSR1, handler);
  for (int i = 0; i < 10; i++)
    work();
  const char *word = argc > 1 ? argv[1] : "";
  writes = !strcmp(word, "write");
  if (!strcmp(word, "quick"))
    quick_exit(0);
  if (!strcmp(word, "leak")) {
    static void *volatile leaked;
    leaked = malloc(100);
    leaked = nullptr;
  }
  return 0;
}
#endif
