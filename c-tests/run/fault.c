// A profile is written by a signal handler where nothing but async-signal-safe code may run: with the heap locked or broken, on a
// small alternate stack, and with all other system calls forbidden.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: lflags -pthread
// profrt: only-ours: LLVM's runtime writes nothing when a signal comes
// profrt: object main.o
// profrt: object ended.o ended.c bare
// profrt: program main main.o
// profrt: program ended ended.o bare
// profrt: variant heap-locked
// The fault is inside malloc, which has its lock: another call of it would be the end.
// profrt: cflags -DOWN_MALLOC
// profrt: run test "$(LLVM_PROFILE_FILE=new/dir/x-%p-%h.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main heap 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 new/dir/x-*.profraw
// profrt: variant heap-locked-values
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: cflags -DOWN_MALLOC
// profrt: run for i in 1 2 3; do test "$(LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main heap 2>&1)" = "signal 11" || exit 1; done
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant heap-locked-static
// profrt: lflags -static
// profrt: cflags -DOWN_MALLOC
// profrt: run test "$(LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main heap 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant heap-locked-pool
// profrt: cflags -DOWN_MALLOC
// profrt: run for i in 1 2 3; do test "$(LLVM_PROFILE_FILE=x-%m.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main heap 2>&1)" = "signal 11" || exit 1; done
// profrt: run bash $SRC/counts.sh work=15 x-*.profraw
// profrt: variant heap-broken
// glibc finds the damage with its own lock held, and aborts.
// profrt: run LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=ABRT timeout 20 ended main double_free > out 2> err; test "$(cat out)" = "signal 6" && rm out err
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant heap-lazy
// Functions of the C library that the program has not called before.
// profrt: lflags -Wl,-z,lazy
// profrt: cflags -DOWN_MALLOC
// profrt: run test "$(LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main heap 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant fault-in-a-dump
// Where the dump itself meets broken memory the process ends as it would have: no profile.
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: no-profile
// profrt: run LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV,TERM ended main damaged > out 2> err; test "$(cat out)" = "signal 11" && rm out err
// profrt: run test -z "$(ls)"
// profrt: variant stack-overflow
// On an alternate stack of 4 KiB more than the kernel's frame, with nothing below it.
// profrt: run test "$(LLVM_PROFILE_FILE=d/x-%p-%h.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 d/x-*.profraw
// profrt: variant stack-overflow-smallest
// On one that has room for no more than the kernel's frame and 400 bytes.
// profrt: run test "$(LLVM_PROFILE_FILE=d/x-%p-%h.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow smallest 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 d/x-*.profraw
// profrt: variant stack-overflow-then-abort
// A handler of the program that says what is wrong and aborts, as Rust's: the stack needs room for a second frame, which only a handler
// for the second signal makes necessary.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=ABRT ended main overflow aborts 2>&1)" = "signal 6"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant interrupted-on-alternate-stack
// Another signal, whose handler runs on the alternate stack as well, waits until ours is done: the stack has room for one frame only.
// profrt: run LLVM_PROFILE_FILE=x.profraw main; test "$(__LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main interrupted 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work=10 x.profraw
// profrt: variant interrupted-and-goes-on
// The same where the signal does not end the program: then the other handler runs, after ours.
// profrt: run LLVM_PROFILE_FILE=x.profraw main; test "$(__LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=URG ended main interrupted harmless 2>&1)" = "exit 7"
// profrt: run bash $SRC/counts.sh work=10 x.profraw
// profrt: variant handler-before-on-its-own-stack
// A handler that was there before us runs on the stack that it was installed for, and not on the alternate one.
// profrt: run test "$(BEFORE=1 LLVM_PROFILE_DUMP_SIGNALS=TERM ended main before 2>&1)" = "exit 7"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant stack-overflow-again
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow 2>&1)" = "signal 11" || exit 1; done
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant stack-overflow-pool
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=x-%m.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow 2>&1)" = "signal 11" || exit 1; done
// profrt: run bash $SRC/counts.sh work=10 x-*.profraw
// profrt: variant stack-overflow-values
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow 2>&1)" = "signal 11" || exit 1; done
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant stack-overflow-on-thread
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow_thread 2>&1)" = "signal 11"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant stack-overflow-fails
// A message needs stack as well.
// profrt: no-profile
// profrt: run LLVM_PROFILE_FILE=/proc/none/x.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main overflow > out 2> err; test "$(cat out)" = "signal 11" && grep -q 'Failed to write file' err && rm out err
// profrt: variant system-calls
// From the signal to the end no system call but those in the list below: new file, the file of an earlier run, a fault.
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=d/e/x.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main seccomp 15 2>&1)" = "signal 15" || exit 1; done
// profrt: run test "$(LLVM_PROFILE_FILE=y-%p-%h.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main seccomp 11 2>&1)" = "signal 11"
// profrt: run test "$(LLVM_PROFILE_FILE=z.profraw LLVM_PROFILE_DUMP_SIGNALS=ABRT ended main seccomp 6 2>&1)" = "signal 6"
// profrt: run for f in d/e/x.profraw y-*.profraw z.profraw; do bash $SRC/counts.sh work=5 $f || exit 1; done
// profrt: variant system-calls-pool
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=x-%m.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main seccomp 15 2>&1)" = "signal 15" || exit 1; done
// profrt: run bash $SRC/counts.sh work=10 x-*.profraw
// profrt: variant system-calls-values
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main seccomp 15 2>&1)" = "signal 15" || exit 1; done
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant system-calls-mapped
// In continuous mode, where the file with the values takes the place of the one that is mapped.
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run for i in 1 2; do test "$(LLVM_PROFILE_FILE=x%c.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main seccomp 15 2>&1)" = "signal 15" || exit 1; done
// profrt: run bash $SRC/counts.sh work=5 x.profraw
// profrt: variant system-calls-forbidden
// The filter works: a call that is not in the list is SIGSYS.
// profrt: no-profile
// profrt: run test "$(ended main forbidden)" = "signal 31"
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

char *__llvm_profile_begin_data(void);
char *__llvm_profile_end_data(void);
unsigned long __llvm_profile_get_version(void);
#define version() (__llvm_profile_get_version() & 0xff)
#define PLAIN __attribute__((no_profile_instrument_function))
static volatile int break_malloc;

#ifdef OWN_MALLOC
static volatile int locked;
static char arena[1 << 20];
static size_t used;
PLAIN static void lock(void) {
  if (locked) {
    write(2, "heap\n", 5);
    _exit(99);
  }
  locked = 1;
}
PLAIN static void *take(size_t n) {
  lock();
  if (break_malloc)
    *(volatile char *)16 = 1;
  size_t at = (used + 15) & ~(size_t)15;
  used = at + n;
  locked = 0;
  return used > sizeof arena ? NULL : arena + at;
}
PLAIN void *malloc(size_t n) { return take(n); }
PLAIN void *calloc(size_t n, size_t m) { return take(n * m); }
PLAIN void *realloc(void *p, size_t n) { return p ? NULL : take(n); }
PLAIN void free(void *p) {
  if (p) {
    lock();
    locked = 0;
  }
}
#endif

__attribute__((noinline)) int work(int x) { return x + 1; }
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*volatile ops[])(int) = {one, two};
static volatile int sink;
static size_t used_by_frame;

PLAIN __attribute__((noinline)) static int deep(int n) {
  volatile char room[256];
  room[n & 255] = 1;
  return deep(n + 1) + room[3];
}

PLAIN static void frame_address(int number) {
  char *here = __builtin_frame_address(0);
  stack_t stack;
  sigaltstack(0, &stack);
  used_by_frame = (char *)stack.ss_sp + stack.ss_size - here;
}
PLAIN static void say_and_abort(int number) { abort(); }
PLAIN static void set_handler(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(number, &action, 0);
}

// A page that nothing may touch on either side.
PLAIN static void alternate_stack(size_t size) {
  // The kernel refuses less than 2 KiB, and from Linux 5.14 on less than what it says, which may be less than that.
  size_t page = sysconf(_SC_PAGESIZE), least = getauxval(AT_MINSIGSTKSZ);
  least = least > 2048 ? least : 2048;
  size = ((size > least ? size : least) + 63) & ~(size_t)63;
  size_t pages = (size + page - 1) / page * page;
  char *start = mmap(0, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(start + page, pages, PROT_READ | PROT_WRITE);
  stack_t stack = {.ss_sp = start + page, .ss_size = size};
  if (sigaltstack(&stack, 0))
    _exit(98);
}
// Bytes that the kernel and a handler's entry take of an alternate stack, which differs from CPU to CPU: 1 KiB, with AVX-512 3, with AMX 11.
PLAIN static size_t frame(void) {
  alternate_stack(1 << 17);
  set_handler(SIGUSR1, frame_address);
  raise(SIGUSR1);
  return used_by_frame;
}
PLAIN static void *overflow(void *how) {
  const char *x = how;
  size_t one = frame();
  alternate_stack(!strcmp(x, "smallest") ? one + 400 : !strcmp(x, "aborts") ? 2 * one + 2048 : one + 4096);
  if (!strcmp(x, "aborts"))
    set_handler(SIGSEGV, say_and_abort);
  sink = deep(0);
  return how;
}

static volatile int rings;
PLAIN static void fill(int number) {
  volatile char room[1000];
  for (int i = 0; i < 1000; i++)
    room[i] = 0x55;
  rings++;
}
static int held;
PLAIN static void *let_go(void *x) {
  usleep(400000);
  close(held);
  return x;
}
// The dump waits for a lock while a timer goes off.
PLAIN static void interrupted(int number) {
  struct flock all = {.l_type = F_WRLCK};
  held = open("x.profraw", O_RDWR);
  if (fcntl(held, F_OFD_SETLK, &all))
    _exit(96);
  alternate_stack(frame() + 1000 + 300);
  set_handler(SIGALRM, fill);
  pthread_t thread;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_create(&thread, 0, let_go, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  struct itimerval timer = {{0, 0}, {0, 100000}};
  setitimer(ITIMER_REAL, &timer, 0);
  raise(number);
  exit(rings == 1 ? 7 : 8);
}

// More than any alternate stack has that was made for one frame.
PLAIN static void fill_much(int number) {
  volatile char room[1 << 16];
  for (int i = 0; i < 1 << 16; i++)
    room[i] = 0x55;
  rings++;
}
__attribute__((constructor(101), no_profile_instrument_function)) static void before_us(void) {
  struct sigaction action = {.sa_handler = fill_much};
  if (getenv("BEFORE"))
    sigaction(SIGTERM, &action, 0);
}

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    // The signal comes, and comes again.
    ALLOW(tgkill), ALLOW(rt_tgsigqueueinfo), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn),
    ALLOW(getpid), ALLOW(gettid),
    // The file.
    ALLOW(open), ALLOW(openat), ALLOW(close), ALLOW(read), ALLOW(pread64), ALLOW(write), ALLOW(writev), ALLOW(lseek),
    ALLOW(stat), ALLOW(fstat), ALLOW(newfstatat), ALLOW(fcntl), ALLOW(ftruncate), ALLOW(fchmod), ALLOW(fchown), ALLOW(fgetxattr),
    ALLOW(linkat), ALLOW(rename), ALLOW(renameat), ALLOW(renameat2), ALLOW(unlinkat), ALLOW(readlinkat), ALLOW(mkdirat),
    ALLOW(fallocate), ALLOW(pwritev), ALLOW(mremap),
    // Whose file it is.
    ALLOW(geteuid),
    // Its name, pages to work in, waiting for others.
    ALLOW(uname), ALLOW(mmap), ALLOW(munmap), ALLOW(nanosleep), ALLOW(clock_nanosleep), ALLOW(rt_sigtimedwait),
    // Whether the death of the parent sends a signal.
    ALLOW(prctl),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
PLAIN static void forbid(void) {
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _exit(97);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  struct rlimit none = {0, 0}, small = {1 << 18, 1 << 18};
  setrlimit(RLIMIT_CORE, &none);
  for (int i = 0; i < 5; i++)
    sink = work(ops[i & 1](i));
  if (!strcmp(how, "heap")) {
    break_malloc = 1;
    char *volatile p = malloc(10);
    return !p;
  }
  if (!strcmp(how, "damaged")) {
    char *record = __llvm_profile_begin_data();
    for (; record < __llvm_profile_end_data(); record += version() == 8 ? 48 : 64)
      *(long *)(record + (version() == 8 ? 32 : 40)) = 24;
    raise(SIGTERM);
  }
  if (!strcmp(how, "double_free")) {
    void *volatile p = malloc(5000), *volatile q = malloc(5000);
    free(p);
    free(p);
    free(q);
  }
  if (!strcmp(how, "overflow")) {
    setrlimit(RLIMIT_STACK, &small);
    overflow(argc > 2 ? argv[2] : "");
  }
  if (!strcmp(how, "overflow_thread")) {
    pthread_t thread;
    pthread_create(&thread, 0, overflow, "");
    pthread_join(thread, 0);
  }
  if (!strcmp(how, "interrupted"))
    interrupted(argc > 2 ? SIGURG : SIGTERM);
  if (!strcmp(how, "before")) {
    alternate_stack(frame() + 4096);
    raise(SIGTERM);
    return rings == 1 ? 7 : 8;
  }
  if (!strcmp(how, "seccomp")) {
    int number = atoi(argv[2]);
    forbid();
    if (number == SIGSEGV)
      *(volatile char *)16 = 1;
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
  }
  if (!strcmp(how, "forbidden")) {
    forbid();
    syscall(SYS_brk, 0);
  }
  return 0;
}
