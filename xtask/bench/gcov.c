// What `cargo xtask bench` measures the exit of a program with `--coverage` and 1000 object files with: it does what as many object files do, each of
// which registers a function that writes its file. With an argument it leaves by `_exit`, which writes nothing.
#include <unistd.h>

void llvm_gcov_init(void (*)(void), void (*)(void));
void llvm_gcda_start_file(const char *, unsigned, unsigned);
void llvm_gcda_emit_function(unsigned, unsigned, unsigned);
void llvm_gcda_emit_arcs(unsigned, unsigned long long *);
void llvm_gcda_summary_info(void);
void llvm_gcda_end_file(void);

#define FUNCTIONS 10

static unsigned long long counters[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void reset(void) {}

static void write_file(const char *name, unsigned number) {
  llvm_gcda_start_file(name, 0x4231312a, number);
  for (int i = 0; i < FUNCTIONS; i++) {
    llvm_gcda_emit_function(i, i, i);
    llvm_gcda_emit_arcs(8, counters);
  }
  llvm_gcda_summary_info();
  llvm_gcda_end_file();
}

// Three digits are an object file.
#define OBJECT(n)                                                                      \
  static void write_##n(void) { write_file("object-" #n ".gcda", 1##n); }                   \
  __attribute__((constructor)) static void init_##n(void) { llvm_gcov_init(write_##n, reset); }
#define TEN(n) OBJECT(n##0) OBJECT(n##1) OBJECT(n##2) OBJECT(n##3) OBJECT(n##4) OBJECT(n##5) OBJECT(n##6) OBJECT(n##7) OBJECT(n##8) OBJECT(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(0) HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)

int main(int argc, char **argv) {
  if (argc > 1)
    _exit(0);
  return 0;
}
