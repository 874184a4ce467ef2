// Profiles that the program writes itself: the size, and the bytes in a buffer that was zero or was not.
// profrt: run main
// profrt: run test $(stat -c %s out.profraw) -gt 0
// profrt: run rm -f default*.profraw
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate -mllvm -disable-vp
// profrt: variant bytes
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: variant mcdc
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: variant no-build-id
// profrt: flags -fprofile-instr-generate
// profrt: lflags -Wl,--build-id=none
// profrt: variant dirty
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage -mllvm -enable-name-compression=false
// profrt: cflags -DDIRTY
// profrt: differs sections: paddings are written, whatever the buffer held; COMPATIBILITY: buffer padding
// profrt: variant vtables
// profrt: clang 19..
// profrt: flags -fprofile-generate -mllvm -enable-vtable-value-profiling -mllvm -disable-vp
// profrt: differs stdout, files, profile: the size counts the padding after the vtable names; COMPATIBILITY: buffer size
// profrt: no-profile official
// profrt: official ! $PROFDATA show out.profraw >/dev/null 2>&1 && rm out.profraw
// profrt: ours $PROFDATA show out.profraw >/dev/null
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

extern "C" {
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
}

struct Base {
  virtual int f(int x) { return x > 2 ? x : 2; }
  virtual ~Base() {}
};
struct Other : Base {
  int f(int x) override { return x % 3 || x > 5 ? 1 : x; }
};
__attribute__((noinline)) static int call(Base &b, int x) { return b.f(x); }

int main() {
  Base base;
  Other other;
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += call(i % 3 ? base : other, i);
  size_t size = __llvm_profile_get_size_for_buffer();
  std::vector<char> buffer(size + 64);
#ifdef DIRTY
  memset(buffer.data(), 0x55, buffer.size());
#else
  memset(buffer.data() + size, 0x55, 64);
#endif
  int result = __llvm_profile_write_buffer(buffer.data());
  FILE *file = fopen("out.profraw", "w");
  fwrite(buffer.data(), 1, size, file);
  fclose(file);
  int over = 0;
  for (size_t i = size; i < buffer.size(); i++)
    over += buffer[i] != 0x55;
  std::printf("%d %d size %d, written beyond it %d\n", sum, result, (int)size, over);
}
