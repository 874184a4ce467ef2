// An object with more values than the compiler has reserved nodes for is loaded and unloaded again and again. What a load leaves is
// bounded by what it has used; the last argument is a limit in KB.
// profrt: flags -fprofile-generate -fPIC
// profrt: no-profile
// profrt: object main.o -DMAIN bare
// profrt: object lib.o
// Nodes and arrays of sites that LLVM's runtime takes from the heap, and does not free either.
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: shared lib.so lib.o
// profrt: program main main.o -ldl -pthread
// profrt: run LLVM_PROFILE_FILE=x.profraw main lib.so 0 40 && rm x.profraw
// profrt: variant merged
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: shared lib.so lib.o
// profrt: program main main.o -ldl -pthread
// profrt: run LLVM_PROFILE_FILE=x%m.profraw main lib.so 0 40 && rm x*.profraw
// profrt: variant reserved
// profrt: only-ours: LLVM's runtime drops values for which the compiler has reserved no node
// profrt: cflags -mllvm -vp-counters-per-site=0.01
// profrt: shared lib.so lib.o
// profrt: program main main.o -ldl -pthread
// profrt: ours LLVM_PROFILE_FILE=x.profraw main lib.so 0 16 && rm x.profraw
// Two threads that meet a new value at the same time take a node each, and one is lost: at most 480 nodes for 240 values, three arenas of
// 4, 8 and 16 KB where 240 need the first two.
// profrt: ours LLVM_PROFILE_FILE=x.profraw main lib.so 2 28 && rm x.profraw
// An object that watches a signal stays loaded: closing it writes nothing, and opening it again takes no more memory.
// profrt: ours LLVM_PROFILE_DUMP_SIGNALS=USR1 LLVM_PROFILE_FILE=x%m.profraw main lib.so 0 1 && test -z "$(ls)"
// profrt: variant continuous
// profrt: only-ours: the official archive has no such mode without a flag
// profrt: cflags -mllvm -vp-counters-per-site=0.01
// profrt: shared lib.so lib.o {resources}/lib/linux/profrt-continuous.o
// profrt: program main main.o -ldl -pthread
// profrt: ours LLVM_PROFILE_FILE=%cx.profraw main lib.so 0 16 && rm x*.profraw
// profrt: ours LLVM_PROFILE_FILE=%cx%m.profraw main lib.so 0 32 && rm x*.profraw
#ifdef MAIN
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int (*work)(int);
static pthread_barrier_t begin, done;

static void *thread(void *unused) {
  for (;;) {
    pthread_barrier_wait(&begin);
    work(1);
    pthread_barrier_wait(&done);
  }
  return unused;
}

static long kilobytes(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld", &pages) != 1)
    exit(4);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
  enum { FIRST = 10, LOADS = 100 };
  long before = 0, threads = atol(argv[2]), most = atol(argv[3]);
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("BIN"), argv[1]);
  pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
  pthread_barrier_init(&done, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; i++) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
  }
  for (int i = 0; i < FIRST + LOADS; i++) {
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
      puts(dlerror());
      return 3;
    }
    *(void **)&work = dlsym(lib, "work");
    if (threads > 0) {
      pthread_barrier_wait(&begin);
      pthread_barrier_wait(&done);
    } else
      work(1);
    dlclose(lib);
    if (i == FIRST - 1)
      before = kilobytes();
  }
  long each = (kilobytes() - before) / LOADS;
  printf("%s\n", each <= most ? "bounded" : "much stays");
  if (each > most)
    fprintf(stderr, "%ld KB a load\n", each);
  fflush(stdout);
  _exit(each > most);
}
#else
#define F(n) __attribute__((noinline)) static int f##n(int x) { return x + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19)
static int (*volatile calls[])(int) = {f0,  f1,  f2,  f3,  f4,  f5,  f6,  f7,  f8,  f9,
                                       f10, f11, f12, f13, f14, f15, f16, f17, f18, f19};
#define SITE(n) __attribute__((noinline)) static int s##n(int x) { return calls[(x + n) % 20](x); }
SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7) SITE(8) SITE(9) SITE(10) SITE(11)

int work(int x) {
  int sum = 0;
  for (int i = 0; i < 20; i++)
    sum += s0(i) + s1(i) + s2(i) + s3(i) + s4(i) + s5(i) + s6(i) + s7(i) + s8(i) + s9(i) + s10(i) + s11(i);
  return sum + x;
}
#endif
