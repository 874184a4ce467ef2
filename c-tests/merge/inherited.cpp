// Virtual inline functions and vtables that the executable and a shared object both have: at run time there is one of each, in
// the executable, and the profile of the shared object names it by an address that moves by another distance than its own.
// (From 18 on records name the functions of the shared object's own copy, so that no reader knows these.)
// profrt: no-profile
// profrt: flags -fprofile-generate -w
// profrt: object main.o -DMAIN -fPIE
// profrt: object lib.o -DLIB -fPIC
// profrt: shared libx.so lib.o
// profrt: program main main.o libx.so -pie
// profrt: variant functions
// profrt: clang ..17
// profrt: ours $SRC/targets.sh 50 ic main _ZN5First5valueEi=150 _ZN6Second5valueEi=100
// profrt: variant unknown-functions
// profrt: clang 18..
// profrt: ours $SRC/targets.sh 50 ic main '?=250'
// profrt: variant vtables
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: ours $SRC/targets.sh 50 vtables main _ZTV5First=150 _ZTV6Second=100
// profrt: variant vtables-lld
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: lflags -fuse-ld=lld
// profrt: ours $SRC/targets.sh 50 vtables main _ZTV5First=150 _ZTV6Second=100
// profrt: variant vtables-one-image
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: object all.o -DMAIN -DLIB -fPIE
// profrt: program one all.o -pie
// profrt: ours $SRC/targets.sh 50 vtables one _ZTV5First=150 _ZTV6Second=100 && $SRC/targets.sh 50 ic one _ZN5First5valueEi=150 _ZN6Second5valueEi=100
// profrt: official ! $SRC/targets.sh 50 vtables one _ZTV5First=150 _ZTV6Second=100 > lost 2>&1 && rm lost
struct Base {
  virtual int value(int x) = 0;
};
struct First : Base {
  int value(int x) override { return x + 1; }
};
struct Second : Base {
  int value(int x) override { return x * 2; }
};
int work(int i);
#ifdef LIB
__attribute__((noinline)) static int call(Base *b, int x) { return b->value(x); }
int work(int i) {
  First first;
  Second second;
  return call(i < 3 ? static_cast<Base *>(&first) : &second, i);
}
#endif
#ifdef MAIN
First first;
Second second;
int main() {
  Base *volatile bases[] = {&first, &second};
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += work(i);
  volatile int sink = sum;
  return 0;
}
#endif
