// The number in a %m name: the same for each run of a program, wherever it is loaded; another one for each program. LLVM's is a sum
// of sizes, which programs with other names share.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate
// profrt: object one.o
// profrt: object body.o -DBODY
// profrt: object name.o -DG=k
// profrt: object order.o -DSWAP
// profrt: object direct.o -mllvm -enable-value-profiling -DCALLED=h
// profrt: object indirect.o -mllvm -enable-value-profiling -DCALLED=pointer
// profrt: program one one.o -Wl,--build-id=0x12
// profrt: program twin one.o -Wl,--build-id=0x34
// profrt: program body body.o
// profrt: program name name.o
// profrt: program order order.o
// profrt: program same one.o -O3 -s -Wl,--build-id=0x12
// profrt: program direct direct.o
// profrt: program indirect indirect.o
// profrt: ours for i in 1 2 3; do for p in one body name order; do LLVM_PROFILE_FILE=d/$p-%m.profraw $p; done; done; ls d; test $(ls d | wc -l) = 4 && test $(ls d | sed 's/.*-//' | sort -u | wc -l) = 4 && rm -r d
// profrt: ours LLVM_PROFILE_FILE=d/%m.profraw one; LLVM_PROFILE_FILE=d/%m.profraw same; $SRC/count.sh d/* main 2 && rm -r d
// profrt: ours for p in one twin; do LLVM_PROFILE_FILE=d/%m.profraw $p; done; test $(ls d | wc -l) = 2 && rm -r d
// profrt: official for p in one body name order; do LLVM_PROFILE_FILE=d/$p-%m.profraw $p; done; ls d; test $(ls d | sed 's/.*-//' | sort -u | wc -l) -lt 4 && rm -r d
// The same names and hashes; only one has a value site.
// profrt: ours for p in direct indirect; do LLVM_PROFILE_FILE=d/$p-%m.profraw $p; $PROFDATA show --all-functions --ic-targets d/$p-* > $p.txt; done; diff <(grep -vi site direct.txt) <(grep -vi site indirect.txt) && ! cmp -s direct.txt indirect.txt && test $(ls d | sed 's/.*-//' | sort -u | wc -l) = 2 && rm -r d *.txt
#ifndef G
#define G g
#endif
#ifdef BODY
#define OP ||
#else
#define OP &&
#endif
int f(int x) { return x ? 1 : 2; }
#ifdef SWAP
int h(int x) { return x ? 1 : 2; }
int G(int x) { return x OP x; }
#else
int G(int x) { return x OP x; }
int h(int x) { return x ? 1 : 2; }
#endif
#ifdef CALLED
int (*volatile pointer)(int) = h;
int caller(int x) { return CALLED(x); }
#endif
int main(void) { return 0; }
