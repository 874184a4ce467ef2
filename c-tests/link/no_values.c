// A program without value sites has nothing of ours that counts, writes or merges values.
// profrt: flags -fprofile-instr-generate
// profrt: run main
// profrt: ours test -z "$(nm -a $BIN/main | grep -E ' [^wU] profrt_values_(write|check|merge|reset)$')" && nm -a $BIN/main | grep -q __llvm_profile_runtime
// profrt: variant bfd
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
// profrt: variant gold
// profrt: lflags -fuse-ld=gold
// profrt: variant static
// profrt: lflags -static
// profrt: variant no-pie
// profrt: lflags -no-pie
// profrt: variant nodes
// Nor are there nodes, and so no names for where they begin and end; LLVM's archive has 24 KiB of them in each program.
// profrt: cflags -DNODES
// profrt: not merged all: what is compared is what the linker makes
// profrt: not mapped all: what is compared is what the linker makes
// profrt: differs stdout: a program without value code has no nodes; COMPATIBILITY: value code
// profrt: ours main | grep -qx 'nodes 0'
// profrt: official main | grep -qx 'nodes 1'
#include <stdio.h>

#ifdef NODES
extern char __start___llvm_prf_vnds[] __attribute__((weak, visibility("hidden")));
#endif

static int add(int a, int b) { return a + b; }

int main(int argc, char **argv) {
  (void)argv;
#ifdef NODES
  printf("nodes %d\n", __start___llvm_prf_vnds != 0);
#endif
  return add(argc, -1);
}
