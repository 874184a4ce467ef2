// Empty functions, an object file without functions, one whose functions are never called, and a function with no line of its own.
// profrt: no-profile
// profrt: flags --coverage
// profrt: object main.o
// profrt: object nothing.o -DNOTHING
// profrt: object uncalled.o -DUNCALLED
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main; bash $SRC/show.sh
#ifdef NOTHING
int variable = 1;
#elif defined(UNCALLED)
void uncalled(void) {}
void uncalled_too(int n) { while (n--) uncalled(); }
#else
#define GENERATED(name) void name(void) {}
GENERATED(generated)
static void empty(void) {}
static inline void unused(void) {}
int main(void) {
  empty();
  generated();
  return 0;
}
#endif
