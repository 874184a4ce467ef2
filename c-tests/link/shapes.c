// The kinds of executables and linkers: the same two objects, linked in every way that a program is.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: cflags -ffunction-sections
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: run main 1; main 2 3
// profrt: variant pie
// profrt: flags -fPIE
// profrt: lflags -pie
// profrt: variant no-pie
// profrt: flags -fno-pie
// profrt: lflags -no-pie
// profrt: variant static
// profrt: lflags -static
// profrt: variant static-pie
// profrt: flags -fPIE
// profrt: lflags -static-pie
// profrt: variant gc-bfd
// profrt: lflags -fuse-ld=bfd -Wl,--gc-sections
// profrt: variant gold
// profrt: lflags -fuse-ld=gold
// profrt: variant gc-gold
// profrt: lflags -fuse-ld=gold -Wl,--gc-sections
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
// profrt: variant gc-lld
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
// profrt: variant static-lld
// profrt: lflags -fuse-ld=lld -static
// profrt: variant icf
// profrt: lflags -fuse-ld=lld -Wl,--icf=all
// profrt: variant now
// profrt: lflags -Wl,-z,now -Wl,-z,relro
// profrt: variant whole-archive
// profrt: lflags -Wl,--whole-archive {resources}/lib/linux/libclang_rt.profile-x86_64.a -Wl,--no-whole-archive
// profrt: variant strip
// profrt: lflags -s
#include <stdio.h>

int second(int x);

#ifdef SECOND
static int twin_a(int x) { return x * 7 + 1; }
static int twin_b(int x) { return x * 7 + 1; }
int unused(int x) { return x ? twin_a(x) : 3; }
int second(int x) { return x % 2 ? twin_a(x) : twin_b(x); }
#else
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < argc * 4; i++)
    sum += second(i);
  printf("%d %s\n", sum, argv[argc - 1]);
  return 0;
}
#endif
