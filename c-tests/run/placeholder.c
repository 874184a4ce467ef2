// Killed before and after each system call while it appends to a file: the file is readable, also by the oldest readers, and after the next run.
// profrt: only-ours: LLVM's runtime writes in place
// profrt: clang ..16
// profrt: object killer.o killer.c bare
// profrt: program killer killer.o bare
// profrt: object main.o
// profrt: program main main.o
// profrt: variant counters
// profrt: flags -fprofile-generate -fno-pie
// profrt: lflags -no-pie
// profrt: run $SRC/placeholder.sh
// profrt: variant byte-counters
// The names are 16 bytes, so that the last byte of the profile is no padding.
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage -mllvm -enable-name-compression=false -fno-pie
// profrt: lflags -no-pie
// profrt: run $SRC/placeholder.sh
__attribute__((noinline)) int long_work(int x) { return x > 0; }

int main(int argc, char **argv) { return long_work(argc) - 1; }
