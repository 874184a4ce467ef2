// The shares of forked workers have equal counters: they are as long as each other, or one is longer because its worker has seen more values.
// When the parent's share grows, theirs move, and each worker finds its own again.
// profrt: only-ours: the official archive counts a second write again
// profrt: flags -fprofile-generate
// profrt: object main.o
// profrt: program main main.o
// profrt: variant as-long
// profrt: run LLVM_PROFILE_FILE=x.profraw main 0
// profrt: ours $PROFDATA merge x.profraw -o t && test "$($PROFDATA show --function=work --memop-sizes t | grep '\[ *0,' | tr -d ' \t' | cut -d']' -f1 | LC_ALL=C sort | xargs)" = "[0,3,100 [0,5,110 [0,7,110" && rm t
// profrt: variant longer
// profrt: run LLVM_PROFILE_FILE=x.profraw main 1
// profrt: ours $PROFDATA merge x.profraw -o t && test "$($PROFDATA show --function=work --memop-sizes t | grep '\[ *0,' | tr -d ' \t' | cut -d']' -f1 | LC_ALL=C sort | xargs)" = "[0,3,50 [0,4,50 [0,5,110 [0,7,110" && rm t
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

int __llvm_profile_write_file(void);

static void one(void) { __asm__ volatile("# one"); }
static void two(void) { __asm__ volatile("# two"); }
static void (*volatile target)(void) = one;
char to[16], from[16];
static int written[2], go_on[2];

__attribute__((noinline)) static void work(size_t size) { memcpy(to, from, size); }

__attribute__((noinline)) static void call(void) { target(); }

PLAIN static void worker(size_t size, size_t also) {
  char byte = 0;
  for (size_t i = 0; i < 100; i++)
    work(size + (i & also));
  if (__llvm_profile_write_file() || write(written[1], &byte, 1) != 1)
    _exit(1);
  if (size == 3)
    _exit(0);
  if (read(go_on[0], &byte, 1) != 1)
    _exit(2);
  for (int i = 0; i < 10; i++)
    work(size);
  exit(0);
}

PLAIN int main(int argc, char **argv) {
  char byte = 0;
  int status, failed = argc != 2 || pipe(written) || pipe(go_on);
  call();
  failed |= __llvm_profile_write_file();
  for (size_t size = 3; size <= 7; size += 2) {
    if (!fork())
      worker(size, size == 3 && *argv[1] == '1');
    failed |= read(written[0], &byte, 1) != 1;
  }
  target = two;
  call();
  failed |= __llvm_profile_write_file();
  failed |= write(go_on[1], "go", 2) != 2;
  while (wait(&status) > 0)
    failed |= status;
  return failed;
}
