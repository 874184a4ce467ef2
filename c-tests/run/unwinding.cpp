// Stacks that are unwound through the runtime: a thread that is canceled at any instruction, functions of the program that throw, and
// its signal handler, which our handler calls.
// profrt: flags -fprofile-generate -pthread
// profrt: cflags -fexceptions -fnon-call-exceptions -fasynchronous-unwind-tables
// profrt: variant canceled
// profrt: clang 16..
// profrt: skip profile: threads are canceled at different moments
// profrt: run main canceled
// profrt: variant static
// profrt: lflags -static
// profrt: skip profile: threads are canceled at different moments
// profrt: run main canceled
// profrt: variant thrown-by-a-callback
// profrt: cflags -DCALLBACK
// profrt: only-ours: LLVM's runtime has no such call
// profrt: ours main callback
// profrt: variant handler
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=USR1 main handler
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <csignal>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define PLAIN __attribute__((no_profile_instrument_function))

extern "C" {
int profrt_dump_callback(int (*)(void *, const void *, size_t), void *);
}

static volatile int destroyed;
static volatile bool running;

struct Guard {
  PLAIN ~Guard() { destroyed = destroyed + 1; }
};

#define F(n) __attribute__((noinline)) static int f##n(int x) { return x + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19)
F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31) F(32) F(33) F(34) F(35) F(36) F(37) F(38) F(39)
static int (*volatile calls[])(int) = {f0,  f1,  f2,  f3,  f4,  f5,  f6,  f7,  f8,  f9,  f10, f11, f12, f13,
                                       f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27,
                                       f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39};
static char from[256], to[256];

// More targets than a site holds, so that all of what counts is run.
__attribute__((noinline)) static void work(unsigned i) {
  calls[i % 40](0);
  memcpy(to, from, i % 200);
}

PLAIN __attribute__((noinline)) static void work_on() {
  running = true;
  for (unsigned i = 0;; i++)
    work(i);
}

// Stays at this one call, for the compiler's table says what to destroy at calls only.
PLAIN static void *thread(void *) {
  Guard guard;
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  work_on();
  return nullptr;
}

PLAIN static int canceled() {
  for (int i = 0; i < 60; i++) {
    pthread_t id;
    running = false;
    pthread_create(&id, nullptr, thread, nullptr);
    while (!running)
      sched_yield();
    timespec moment = {0, 100000 + 7919 * i};
    nanosleep(&moment, nullptr);
    pthread_cancel(id);
    pthread_join(id, nullptr);
  }
  if (destroyed != 60)
    std::fprintf(stderr, "%d of 60\n", destroyed);
  return destroyed == 60 ? 0 : 1;
}

template <class Call> PLAIN static void caught(Call call) {
  try {
    Guard guard;
    call();
    std::printf("nothing came\n");
  } catch (int number) {
    std::printf("%d came, %d destroyed\n", number, destroyed);
  }
}

PLAIN static int refuse_bytes(void *number, const void *, size_t) { throw *static_cast<int *>(number); }

// In place before ours, which passes the signal on. What a backtrace shows of the frames above is the same without ours.
PLAIN static void on_signal(int number) {
  void *frames[64];
  std::printf("from the handler to the start: %s\n", backtrace(frames, 64) > 5 ? "seen" : "not seen");
  throw number;
}

// By its address, for the declaration of the function says that it throws nothing.
PLAIN static void raised() {
  int (*volatile call)(int) = raise;
  call(SIGUSR1);
}

PLAIN __attribute__((constructor(101))) static void install() { signal(SIGUSR1, on_signal); }

PLAIN int main(int, char **argv) {
  work(1);
  if (!strcmp(argv[1], "canceled"))
    return canceled();
#ifdef CALLBACK
  int number = 42;
  caught([&] { profrt_dump_callback(refuse_bytes, &number); });
  return destroyed - 1;
#else
  caught(raised);
  return 0;
#endif
}
