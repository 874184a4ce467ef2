// Killed at every system call that touches files: no file, the old one or a complete new one; nothing else that looks like a
// profile.
// profrt: needs strace: kills it at a system call
// profrt: no-profile
// profrt: skip files: what is there after the last kill
// profrt: skip content: what is there after the last kill
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fno-pie
// profrt: lflags -no-pie
// profrt: ours bash $SRC/killed.sh main
// profrt: official ! bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf work
// profrt: variant static-ir
// profrt: flags -fprofile-generate
// profrt: lflags -static
// profrt: ours bash $SRC/killed.sh main
// profrt: official ! bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf work
// profrt: variant dso
// profrt: flags -fprofile-instr-generate -fPIC
// profrt: object main.o -DMAIN
// profrt: object lib.o -DLIB
// profrt: shared liba.so lib.o
// profrt: program main main.o liba.so
// profrt: ours ALSO=1 bash $SRC/killed.sh main
// profrt: official ! ALSO=1 bash $SRC/killed.sh main >/dev/null 2>&1 && rm -rf work
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
