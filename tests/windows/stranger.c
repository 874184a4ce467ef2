// Another thread tries to remove the second name while profiles are written: as long as the writer has it, nobody else can.
#include <stdio.h>
#include <windows.h>

int __llvm_profile_write_file(void);
const char *__llvm_profile_get_filename(void);

static volatile LONG refused, removed, done;
static char second[512];

static DWORD WINAPI stranger(void *nothing) {
  while (!done) {
    if (DeleteFileA(second))
      removed++;
    else if (GetLastError() == ERROR_SHARING_VIOLATION)
      refused++;
  }
  return 0;
}

int main(void) {
  snprintf(second, sizeof second, ".%s.profrt", __llvm_profile_get_filename());
  HANDLE thread = CreateThread(NULL, 0, stranger, NULL, 0, NULL);
  for (int write = 0; write < 1000 && !refused && !removed; write++)
    if (__llvm_profile_write_file())
      return 1;
  done = 1;
  WaitForSingleObject(thread, INFINITE);
  printf("%s, %ld removed\n", refused ? "refused" : "not seen", removed);
  return 0;
}
