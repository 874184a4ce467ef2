// The share of a shared object stands in front of the program's and grows, since it has more values each time it is written:
// the program's share has moved, and is found again.
// profrt: only-ours: the official archive counts a second write again
// profrt: flags -fprofile-generate
// profrt: object lib.o -DLIBRARY -fPIC
// profrt: shared lib.so lib.o
// profrt: object main.o
// profrt: program main main.o lib.so
// profrt: variant default
// profrt: run LLVM_PROFILE_FILE=x.profraw main
// profrt: ours $PROFDATA merge x.profraw -o t && $PROFDATA show --function=f --counts t | grep -q '\[2\]' && rm t
int __llvm_profile_write_file(void);
int library(int values);

#ifdef LIBRARY
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int three(int x) { return x + 3; }
static int (*volatile ops[])(int) = {one, two, three};
__attribute__((noinline)) static int call(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += ops[i % 3](i);
  return sum;
}
int library(int values) { return call(values) < 0 || __llvm_profile_write_file(); }
#else
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main(void) {
  int failed = library(1);
  f();
  failed |= __llvm_profile_write_file();
  failed |= library(3);
  f();
  return failed | __llvm_profile_write_file();
}
#endif
