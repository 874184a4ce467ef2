// The program makes the calls of a `.gcda` file itself, and the handler of a timer forks in them. Each process adds its counts as a whole: the
// file is never torn, and no child keeps signals back.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o
// profrt: only-ours: LLVM's runtime keeps the lock in the child
// profrt: run for i in $(seq 5); do most=$(main 2>err) && ! test -s err && count=$(bash $SRC/counters.sh own.gcda 1) && test $count -le $most -a $count -ge $((most - 60)) && rm own.gcda || exit; done
// A handler of a signal that comes while a file is published finds the lock free. (Not one that comes between the calls.)
// profrt: run main dump 2>err; test $(grep -c "another dump is under way" err) -lt 20
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t checksum);
void llvm_gcda_emit_function(uint32_t ident, uint32_t checksum, uint32_t cfg_checksum);
void llvm_gcda_emit_arcs(uint32_t count, uint64_t *counters);
void llvm_gcda_summary_info(void);
void llvm_gcda_end_file(void);

void __gcov_dump(void);

static int dumps;
static volatile sig_atomic_t signals;
static uint64_t *ends;

static void handle(int number) {
  if (signals++ >= 60)
    return;
  if (dumps)
    __gcov_dump();
  else
    fork();
}

static void add_one(void) {
  uint64_t counts[1] = {1};
  // LLVM 22 writes files of GCC 4.8.
  llvm_gcda_start_file("own.gcda", 0x3430382a, 99);
  llvm_gcda_emit_function(7, 8, 9);
  llvm_gcda_emit_arcs(1, counts);
  llvm_gcda_summary_info();
  llvm_gcda_end_file();
  // A child that was forked after its parent had added the count ends the file a second time.
  __atomic_add_fetch(ends, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  dumps = argc > 1;
  ends = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t first = getpid();
  struct itimerval often = {{0, 300}, {0, 300}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &often, 0);
  while (signals < 60 && getpid() == first)
    add_one();
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  if (sigismember(&blocked, SIGALRM))
    fprintf(stderr, "signals are still blocked\n");
  add_one();
  while (waitpid(-1, NULL, 0) > 0) {
  }
  if (getpid() == first)
    printf("%d\n", (int)*ends);
  return 0;
}
