// Killed before and behind every system call: no file, the old one or a complete new one; nothing else that looks like a profile.
// profrt: no-profile
// profrt: object killer.o killer.c bare
// profrt: program killer killer.o bare
// profrt: variant fe
// profrt: object main.o
// profrt: program main main.o
// profrt: flags -fprofile-instr-generate -fno-pie
// profrt: lflags -no-pie
// profrt: ours bash $SRC/killed.sh main
// profrt: official ! bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf *
// profrt: variant static-ir
// profrt: object main.o
// profrt: program main main.o
// profrt: flags -fprofile-generate
// profrt: lflags -static
// profrt: ours bash $SRC/killed.sh main
// profrt: official ! bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf *
// profrt: variant dso
// profrt: flags -fprofile-instr-generate -fPIC
// profrt: object main.o -DMAIN
// profrt: object lib.o -DLIB
// profrt: shared liba.so lib.o
// profrt: program main main.o liba.so
// profrt: ours ALSO=1 bash $SRC/killed.sh main
// profrt: official ! ALSO=1 bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf *
#if defined LIB
int lib(int x) { return x ? 1 : 2; }
#else
#ifdef MAIN
int lib(int x);
#else
static int lib(int x) { return x ? 1 : 2; }
#endif
__attribute__((noinline)) static int work(int x) { return x > 1 ? x : 1; }
int main(int argc, char **argv) {
  (void)argv;
  return work(argc) - lib(argc);
}
#endif
