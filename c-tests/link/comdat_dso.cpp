// Inline functions in the program and in a shared object: the code may be shared, each image keeps its own records.
// profrt: object main.o -DMAIN
// profrt: object lib.o
// profrt: variant default
// profrt: flags -fPIC -fprofile-instr-generate -fcoverage-mapping
// profrt: shared libone.so lib.o
// profrt: program main main.o libone.so
// profrt: variant hidden
// profrt: flags -fPIC -fprofile-instr-generate -fvisibility=hidden -fvisibility-inlines-hidden
// profrt: shared libone.so lib.o
// profrt: program main main.o libone.so
// profrt: variant version-script
// profrt: flags -fPIC -fprofile-instr-generate
// profrt: shared libone.so lib.o -Wl,--version-script={dir}/only_lib.map
// profrt: program main main.o libone.so
// profrt: variant export-dynamic
// profrt: flags -fPIC -fprofile-instr-generate -fuse-ld=lld
// profrt: shared libone.so lib.o
// profrt: program main main.o libone.so -rdynamic
// profrt: variant ir
// profrt: flags -fPIC -fprofile-generate
// profrt: shared libone.so lib.o
// profrt: program main main.o libone.so
// profrt: run LLVM_PROFILE_FILE=x.profraw main
#include <cstdio>

template <typename T> T clamp(T x) { return x > 5 ? 5 : x; }
inline int counter() {
  static int calls = 0;
  return ++calls;
}
struct Base {
  virtual int f(int x) { return clamp(x) + counter(); }
  virtual ~Base() {}
};

__attribute__((visibility("default"))) int lib_work(int x);

#ifdef MAIN
int main() {
  Base base;
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += base.f(i) + lib_work(i);
  std::printf("%d %d\n", sum > 0, clamp(9));
}
#else
int lib_work(int x) {
  Base base;
  return base.f(x) + clamp(x * 2);
}
#endif
