// Ends in the way that its first argument says.
#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

int __llvm_profile_write_file(void);
void __llvm_profile_set_filename(const char *name);
void __llvm_profile_reset_counters(void);

__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < 100 * n; i++)
    sum += i % 3 ? i : -i;
  return sum;
}

static void __attribute__((destructor)) destructor(void) { work(1); }
static void handler(void) { work(1); }

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  atexit(handler);
  if (work(argc) == 1)
    return 1;
  if (!strcmp(how, "exit"))
    exit(3);
  if (!strcmp(how, "ExitProcess"))
    ExitProcess(3);
  if (!strcmp(how, "terminate"))
    TerminateProcess(GetCurrentProcess(), 3);
  if (!strcmp(how, "wait")) {
    puts("ready");
    fflush(stdout);
    getchar();
  }
  if (!strcmp(how, "set"))
    __llvm_profile_set_filename(argv[2]);
  if (!strcmp(how, "twice") && __llvm_profile_write_file())
    return 2;
  if (!strcmp(how, "reset"))
    __llvm_profile_reset_counters();
  if (!strcmp(how, "spawn"))
    return _spawnl(_P_WAIT, argv[0], argv[0], "exit", NULL);
  return 0;
}
