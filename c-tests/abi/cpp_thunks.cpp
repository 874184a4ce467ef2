// Multiple and virtual inheritance: thunks, several vtables, calls through each base.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant vtables
// profrt: clang 19..
// profrt: flags -fprofile-generate -mllvm -enable-vtable-value-profiling
// profrt: variant vtables-lld
// profrt: clang 19..
// profrt: flags -fprofile-generate -mllvm -enable-vtable-value-profiling
// profrt: lflags -fuse-ld=lld
#include <cstdio>

struct Base {
  int tag = 1;
  virtual int id() { return tag; }
  virtual ~Base() {}
};
struct Left : virtual Base {
  int id() override { return 10; }
};
struct Right : virtual Base {
  virtual int other() { return 7; }
};
struct Both : Left, Right {
  int id() override { return 20; }
  int other() override { return 8; }
};

__attribute__((noinline)) static int ask(Base *b) { return b->id(); }
__attribute__((noinline)) static int ask_right(Right *r) { return r->other() + r->id(); }

int main() {
  Base base;
  Left left;
  Right right;
  Both both;
  Base *all[] = {&base, &left, &right, &both, &both, &left};
  int sum = 0;
  for (Base *b : all)
    sum += ask(b);
  for (int i = 0; i < 3; i++)
    sum += ask_right(i ? &both : &right);
  std::printf("%d\n", sum);
}
