// Sections of every length modulo eight: names that are not compressed, counters of one byte.
// profrt: object n0.o -DTAIL=f
// profrt: object n1.o -DTAIL=fu
// profrt: object n2.o -DTAIL=fun
// profrt: object n3.o -DTAIL=func
// profrt: object n4.o -DTAIL=funct
// profrt: object n5.o -DTAIL=functi
// profrt: object n6.o -DTAIL=functio
// profrt: object n7.o -DTAIL=function -DMORE
// profrt: program m0 n0.o
// profrt: program m1 n1.o
// profrt: program m2 n2.o
// profrt: program m3 n3.o
// profrt: program m4 n4.o
// profrt: program m5 n5.o
// profrt: program m6 n6.o
// profrt: program m7 n7.o
// profrt: run for i in 0 1 2 3 4 5 6 7; do LLVM_PROFILE_FILE=$i.profraw m$i; done
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -mllvm -enable-name-compression=false
// profrt: variant ir-bytes
// profrt: flags -fprofile-generate -mllvm -enable-name-compression=false -mllvm -pgo-function-entry-coverage
// profrt: variant mcdc
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mcdc -mllvm -enable-name-compression=false
// profrt: cflags -fcoverage-mapping
// profrt: cov m0 m1 m2 m3 m4 m5 m6 m7
__attribute__((noinline)) int TAIL(int x) { return x && x != 3 ? x : 1; }
#ifdef MORE
__attribute__((noinline)) int more(int x) { return x ? 2 : x; }
__attribute__((noinline)) int most(int x) { return x ? 3 : x; }
#endif

int main(int argc, char **argv) {
  (void)argv;
  return TAIL(argc) - 1;
}
