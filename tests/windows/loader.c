// Calls a library that it is linked with, or loads the one that its argument names and frees it.
#include <stdio.h>
#include <windows.h>
#ifdef LINKED
__declspec(dllimport) int library(int n);
int main(void) { return library(7) == 0; }
#else
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    HMODULE loaded = LoadLibraryA(argv[i]);
    int (*library)(int) = loaded ? (int (*)(int))GetProcAddress(loaded, "library") : NULL;
    if (!library || library(7) == 0 || !FreeLibrary(loaded))
      return 1;
  }
  return 0;
}
#endif
