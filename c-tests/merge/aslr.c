// Fifty runs, each loaded somewhere else: each indirect-call target is there once, with all of its counts. LLVM keeps
// those of one run, or none.
// profrt: no-profile
// profrt: flags -fprofile-generate -w
// profrt: variant pie
// profrt: cflags -fPIE
// profrt: lflags -pie
// profrt: ours $SRC/targets.sh 50 ic main one=150 two=50 one=50
// profrt: official ! $SRC/targets.sh 50 ic main one=150 two=50 one=50 > lost 2>&1 && rm lost
// profrt: variant static-pie
// profrt: cflags -fPIE
// profrt: lflags -static-pie
// profrt: ours $SRC/targets.sh 50 ic main one=150 two=50 one=50
// profrt: variant fixed
// profrt: cflags -fno-pie
// profrt: lflags -no-pie
// profrt: run $SRC/targets.sh 50 ic main one=150 two=50 one=50
// profrt: variant dso
// profrt: object main.o -DMAIN -fPIE
// profrt: object lib.o -DLIB -fPIC
// profrt: shared libx.so lib.o
// profrt: program main main.o libx.so -pie
// profrt: ours $SRC/targets.sh 50 ic main one=150 two=50 one=50
#if !defined MAIN
typedef int (*function)(int);
__attribute__((noinline)) static int one(int x) { return x + 1; }
__attribute__((noinline)) static int two(int x) { return x + 2; }
static function volatile table[] = {one, two, one, one};
__attribute__((noinline)) static int call(int i) { return table[i](i); }
int work(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += call(i);
  return table[3](sum);
}
#else
int work(void);
#endif
#if !defined LIB
int main(void) { return work() < 0; }
#endif
