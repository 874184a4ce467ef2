// Build ids in the profile: each kind, each linker; the harness checks them against the notes of the image.
// profrt: flags -fprofile-instr-generate
// profrt: variant sha1
// profrt: lflags -Wl,--build-id=sha1
// profrt: variant md5
// profrt: lflags -Wl,--build-id=md5
// profrt: variant uuid
// profrt: lflags -Wl,--build-id=uuid
// profrt: variant short
// profrt: lflags -Wl,--build-id=0xabcdef
// profrt: variant long
// profrt: lflags -Wl,--build-id=0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021
// profrt: variant none
// profrt: lflags -Wl,--build-id=none
// profrt: variant gold
// profrt: lflags -fuse-ld=gold -Wl,--build-id=sha1
// profrt: variant lld
// profrt: lflags -fuse-ld=lld -Wl,--build-id=fast
// profrt: variant static
// profrt: lflags -static -Wl,--build-id=md5
// profrt: variant static-pie
// profrt: flags -fPIE
// profrt: lflags -static-pie -Wl,--build-id=md5
// profrt: variant shared
// profrt: flags -fPIC
// profrt: object main.o
// profrt: object lib.o -DLIB
// profrt: shared liba.so lib.o -Wl,--build-id=0x1234
// profrt: program main main.o liba.so -Wl,--build-id=0x5678
#ifdef LIB
int helper(int x) { return x ? x : 2; }
#else
__attribute__((weak)) int helper(int x);
int main(int argc, char **argv) {
  (void)argv;
  return helper ? helper(argc) - 1 : 0;
}
#endif
