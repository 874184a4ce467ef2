// Constructors and destructors of globals, with priorities, and handlers of atexit: what is counted before main and after it.
// profrt: differs sections, merge: LLVM's runtime writes before destructors; COMPATIBILITY: destructors
// profrt: skip cov: some lines of destructors have counts then
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
#include <cstdio>
#include <cstdlib>

struct Global {
  int id;
  explicit Global(int n) : id(n) { std::printf("+%d\n", id); }
  ~Global() { std::printf("-%d\n", id); }
};

__attribute__((init_priority(200))) Global early(1);
__attribute__((init_priority(60000))) Global late(2);
Global plain(3);

__attribute__((constructor(101))) static void very_early() { std::printf("c101\n"); }
__attribute__((constructor)) static void normal() { std::printf("c\n"); }
__attribute__((destructor(101))) static void very_late() { std::printf("d101\n"); }
__attribute__((destructor)) static void leaving() { std::printf("d\n"); }
static void handler() { std::printf("atexit\n"); }

int main() {
  static Global local(4);
  std::atexit(handler);
}
