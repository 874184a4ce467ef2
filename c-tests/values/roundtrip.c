// Back to the optimiser: what is known of the calls of this program stands in the metadata that clang makes of the profile, exactly,
// and the indirect call is promoted.
// profrt: flags -fprofile-generate -w
// profrt: run LLVM_PROFILE_FILE=x.profraw main && $PROFDATA merge x.profraw -o x.profdata
// profrt: variant counts
// profrt: run $CLANG -w -O1 -fprofile-use=x.profdata -S -emit-llvm -mllvm -disable-icp $SRC/roundtrip.c -o x.ll && $SRC/metadata.sh < x.ll > metadata.txt && rm x.ll x.profdata
// profrt: run $SRC/roundtrip.sh < metadata.txt
// profrt: variant promotion
// profrt: run $CLANG -w -O2 -fprofile-use=x.profdata -S -emit-llvm $SRC/roundtrip.c -o x.ll && grep -q 'icmp eq ptr .*@common\|icmp eq .*@common' x.ll && ! grep -q 'icmp eq .*@rare' x.ll; status=$?; rm x.profdata x.ll; exit $status
// profrt: variant limited
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=1 LLVM_PROFILE_FILE=y.profraw main && $PROFDATA merge y.profraw -o y.profdata
// profrt: run $CLANG -w -O1 -fprofile-use=y.profdata -S -emit-llvm -mllvm -disable-icp $SRC/roundtrip.c -o y.ll && $SRC/metadata.sh < y.ll > metadata.txt && rm y.ll x.profdata y.profdata
#include <string.h>
__attribute__((noinline)) int common(int x) { return x + 1; }
__attribute__((noinline)) int second(int x) { return x * 3; }
__attribute__((noinline)) int rare(int x) { return x ^ 5; }
int (*volatile which)(int);
char from[1024], to[1024];

// 1000 calls: 900 of common, 97 of second, 3 of rare.
__attribute__((noinline)) int indirect(int i) { return which(i); }
// 1000 copies: 800 of 8 bytes, 150 of 64, 50 of 700.
__attribute__((noinline)) void copy(unsigned long n) { memcpy(to, from, n); }
// 250 of 1000 times.
__attribute__((noinline)) int branch(int i) {
  if (i % 4 == 0)
    return common(i);
  return second(i);
}

volatile int sink;
int main(void) {
  for (int i = 0; i < 1000; i++) {
    which = i < 900 ? common : i < 997 ? second : rare;
    sink = indirect(i);
    copy(i < 800 ? 8 : i < 950 ? 64 : 700);
    sink = branch(i);
  }
  return 0;
}
