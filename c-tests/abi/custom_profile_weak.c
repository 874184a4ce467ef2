// A library of the offloading runtime has only a weak reference to __llvm_write_custom_profile, or looks for it in the process: every
// instrumented image has the call, and those that export it (clang 22) export it with our archive too.
// profrt: clang 22..
// profrt: cflags -fPIC
// profrt: differs profile: LLVM 22 writes the names where those of vtables belong; COMPATIBILITY: custom profile
// profrt: variant linked-library
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DMAIN
// profrt: object offload.o bare -fPIC -DOFFLOAD
// profrt: shared liboffload.so offload.o bare
// profrt: program main main.o liboffload.so
// profrt: run main
// profrt: variant linked-library-gc-lld
// profrt: flags -fprofile-generate -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
// profrt: object main.o -DMAIN
// profrt: object offload.o bare -fPIC -DOFFLOAD
// profrt: shared liboffload.so offload.o bare
// profrt: program main main.o liboffload.so
// profrt: run main
// The program is not instrumented; the call is found in an instrumented library.
// profrt: variant instrumented-library
// profrt: flags -fprofile-instr-generate
// profrt: object main.o bare -fPIC -DMAIN
// profrt: object offload.o -DOFFLOAD
// profrt: shared liboffload.so offload.o
// profrt: program main bare main.o liboffload.so
// profrt: run main
// profrt: variant rdynamic
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DMAIN -DOFFLOAD
// profrt: program main main.o -rdynamic
// profrt: run main
// Not exported, and so not found, but the weak reference within the program is.
// profrt: variant alone
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DMAIN -DOFFLOAD
// profrt: program main main.o
// profrt: run main
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

void offload(void);

#ifdef OFFLOAD
typedef int write_custom_profile(const char *, const char *, const char *, const char *, const char *, const char *,
                                 const char *, const uint64_t *);
extern write_custom_profile __llvm_write_custom_profile __attribute__((weak));

void offload(void) {
  write_custom_profile *volatile weak = __llvm_write_custom_profile;
  static const char none[1];
  uint64_t version = 10;
  printf("weak reference: %s\n", weak ? "there" : "null");
  printf("found in the process: %s\n", dlsym(RTLD_DEFAULT, "__llvm_write_custom_profile") ? "yes" : "no");
  if (weak)
    printf("%d\n", weak("gpu", none, none, none, none, none, none, &version));
}
#endif

#ifdef MAIN
int main(void) {
  offload();
  return 0;
}
#endif
