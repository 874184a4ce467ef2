// Objects that come and go: dlopen and dlclose, with an instrumented main program and without one.
// profrt: flags -fPIC
// profrt: variant keep
// profrt: not merged all: LLVM's signature is the same for both objects, so it adds up their counts
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=1
// profrt: object b.o -DNAME=2
// profrt: shared liba.so a.o
// profrt: shared libb.so b.o
// profrt: program main main.o -ldl
// profrt: run main keep liba.so libb.so
// profrt: variant close
// profrt: not merged all: LLVM's signature is the same for both objects, so it adds up their counts
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=1
// profrt: object b.o -DNAME=2
// profrt: shared liba.so a.o
// profrt: shared libb.so b.o
// profrt: program main main.o -ldl
// profrt: run main close liba.so libb.so
// profrt: variant again
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=1
// profrt: shared liba.so a.o
// profrt: program main main.o -ldl
// profrt: run main close liba.so liba.so liba.so
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=1
// profrt: object b.o -DNAME=2
// profrt: shared liba.so a.o
// profrt: shared libb.so b.o
// profrt: program main main.o -ldl
// profrt: run LLVM_PROFILE_FILE=a.profraw main close liba.so libb.so; LLVM_PROFILE_FILE=b.profraw main keep libb.so
// profrt: variant plain-main-keep
// profrt: not merged all: LLVM's signature is the same for both objects, so it adds up their counts
// profrt: cflags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN bare
// profrt: object a.o -DNAME=1
// profrt: object b.o -DNAME=2
// profrt: shared liba.so a.o -fprofile-instr-generate
// profrt: shared libb.so b.o -fprofile-instr-generate
// profrt: program main main.o -ldl
// profrt: cov liba.so libb.so
// profrt: run main keep liba.so libb.so
// profrt: variant plain-main-close
// profrt: not merged all: LLVM's signature is the same for both objects, so it adds up their counts
// profrt: cflags -fprofile-instr-generate -fcoverage-mapping
// profrt: object main.o -DMAIN bare
// profrt: object a.o -DNAME=1
// profrt: object b.o -DNAME=2
// profrt: shared liba.so a.o -fprofile-instr-generate
// profrt: shared libb.so b.o -fprofile-instr-generate
// profrt: program main main.o -ldl
// profrt: cov liba.so libb.so
// profrt: run main close liba.so libb.so
// profrt: variant lld-gc
// profrt: flags -fprofile-generate -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=1
// profrt: shared liba.so a.o
// profrt: program main main.o -ldl
// profrt: run LLVM_PROFILE_FILE=a.profraw main close liba.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef MAIN
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return puts(dlerror()), 1;
    int (*plugin)(int) = (int (*)(int))dlsym(handle, "plugin");
    printf("%s %d\n", argv[i], plugin(i));
    if (!strcmp(argv[1], "close"))
      dlclose(handle);
  }
  return 0;
}
#else
__attribute__((noinline)) static int work(int x) { return x > 2 ? x * NAME : x + NAME; }
int plugin(int x) { return work(x) + work(1); }
#endif
