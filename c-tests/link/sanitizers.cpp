// Beside the runtimes of the sanitizers. (Without vptr: its cache of types is hashed by addresses, and its branches are counted.)
// profrt: variant asan-fe
// profrt: flags -fsanitize=address -fprofile-instr-generate -fcoverage-mapping
// profrt: run ASAN_OPTIONS=detect_leaks=0 main
// profrt: variant asan-ir
// profrt: flags -fsanitize=address -fprofile-generate
// profrt: run ASAN_OPTIONS=detect_leaks=0 main
// profrt: variant ubsan-fe
// profrt: flags -fsanitize=undefined -fno-sanitize=vptr -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ubsan-ir
// profrt: flags -fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fprofile-generate
// profrt: variant tsan-fe
// profrt: flags -fsanitize=thread -fprofile-instr-generate -fprofile-update=atomic
// profrt: variant tsan-ir
// profrt: flags -fsanitize=thread -fprofile-generate -fprofile-update=atomic
// profrt: variant asan-found
// profrt: flags -fsanitize=address -fprofile-instr-generate
// profrt: skip stderr: the report of the sanitizer, with addresses
// profrt: no-profile
// profrt: run=1 ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 main bad
// profrt: official rm default.profraw  # made empty at the start
// profrt: variant cfi
// profrt: clang 16..
// profrt: flags -fsanitize=cfi -flto=thin -fvisibility=hidden -fuse-ld=lld -fprofile-instr-generate
// profrt: variant safe-stack
// profrt: flags -fsanitize=safe-stack -fprofile-instr-generate
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Animal {
  virtual ~Animal() {}
  virtual int legs() const { return 4; }
};
struct Bird : Animal {
  int legs() const override { return 2; }
};

int main(int argc, char **argv) {
  std::vector<std::unique_ptr<Animal>> zoo;
  for (int i = 0; i < 6; i++) {
    if (i % 3)
      zoo.emplace_back(new Animal);
    else
      zoo.emplace_back(new Bird);
  }
  int legs = 0;
  for (auto &animal : zoo)
    legs += animal->legs();
  std::string text = std::to_string(legs);
  if (argc > 1 && argv[1][0] == 'b') {
    int *volatile gone = new int[4];
    delete[] gone;
    text += std::to_string(gone[1]);
  }
  std::printf("%s\n", text.c_str());
}
