// Vtables back to the optimiser: kind 2 of the metadata, at the load of the vtable.
// profrt: clang 19..
// profrt: flags -fprofile-generate -w -mllvm -enable-vtable-value-profiling
// profrt: run LLVM_PROFILE_FILE=x.profraw main && $PROFDATA merge x.profraw -o x.profdata
// profrt: run $CLANGXX -w -O1 -fprofile-use=x.profdata -mllvm -enable-vtable-value-profiling -S -emit-llvm -mllvm -disable-icp $SRC/vtables.cpp -o x.ll && $SRC/metadata.sh < x.ll > metadata.txt && rm x.ll x.profdata
// profrt: run $SRC/vtables.sh < metadata.txt
struct Base {
  virtual int value(int x) { return x; }
};
struct First : Base {
  int value(int x) override { return x + 1; }
};
struct Second : Base {
  int value(int x) override { return x * 2; }
};

// 1000 calls: 900 with a First, 90 with a Second, 10 with a Base.
extern "C" __attribute__((noinline)) int call(Base *b, int x) { return b->value(x); }

Base base;
First first;
Second second;
volatile int sink;
int main() {
  for (int i = 0; i < 1000; i++)
    sink = call(i < 900 ? &first : i < 990 ? static_cast<Base *>(&second) : &base, i);
}
