// overlayfs, the usual root file system of a container: a mapping does not keep the lock of its file there.
// profrt: object main.o language.c
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: only-ours: LLVM's children count into the file of their parent
// profrt: needs root overlay unshare: mounts an overlay
// profrt: variant children
// profrt: run unshare -m bash $SRC/overlay.sh 'main work=1000 fork work=10 parent fork work=10 parent wait wait work=5' 1025
// profrt: no-profile
// profrt: variant killed
// The parent counts on after its child has ended, and is killed.
// profrt: run unshare -m bash $SRC/overlay.sh 'main work=1000 fork work=10 parent wait work=500 kill' 1510
// profrt: no-profile
// profrt: variant crowd
// profrt: run unshare -m bash $SRC/overlay.sh 'for i in 1 2 3 4 5 6 7 8; do main work=500 "system=sleep 0.2" work=500 & done; wait' 8000 %c%m
// profrt: no-profile
// profrt: variant descriptors
// A program that closes all descriptors and opens others keeps those.
// profrt: run unshare -m bash $SRC/overlay.sh 'main work=5 replace_descriptors set=d/y%c.profraw work=5 descriptors >out; grep "descriptors 61" out; rm out' 10
// profrt: no-profile
// profrt: variant values
// A file that is replaced at exit, too.
// profrt: cflags -mllvm -enable-value-profiling
// profrt: run unshare -m bash $SRC/overlay.sh 'main work=1000 values=10 write work=5 fork work=10 parent wait' 1015
// profrt: no-profile
