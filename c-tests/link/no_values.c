// A program without value sites has nothing of ours that counts, writes or unites values.
// profrt: flags -fprofile-instr-generate
// profrt: run main
// profrt: ours test -z "$(nm -a $BIN/main | grep -E 'profrt_values_(write|read|unite|forget)')" && nm -a $BIN/main | grep -q __llvm_profile_runtime
// profrt: variant bfd
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
// profrt: variant gold
// profrt: lflags -fuse-ld=gold
// profrt: variant static
// profrt: lflags -static
// profrt: variant no-pie
// profrt: lflags -no-pie
static int add(int a, int b) { return a + b; }

int main(int argc, char **argv) {
  (void)argv;
  return add(argc, -1);
}
