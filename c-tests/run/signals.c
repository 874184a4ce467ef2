// LLVM_PROFILE_DUMP_SIGNALS: the profile is there after a signal, and the program has ended, or gone on, as it would have anyway.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: lflags -pthread
// profrt: only-ours: LLVM's runtime writes nothing when a signal comes
// profrt: object main.o
// profrt: object ended.o ended.c bare
// profrt: program main main.o
// profrt: program ended ended.o bare
// profrt: variant off
// Without the variable nothing is different.
// profrt: no-profile
// profrt: run test "$(ended main raise 15)" = "signal 15"
// profrt: variant off-costs-nothing
// Not even a look at the handlers.
// profrt: needs strace: lists the system calls
// profrt: run LLVM_PROFILE_FILE=x.profraw strace -o ../trace main nothing && ! grep rt_sigaction ../trace && rm ../trace
// profrt: variant empty
// profrt: no-profile
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS= ended main raise 15 2>&1)" = "signal 15"
// profrt: variant term
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main raise 15 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant term-from-outside
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM main wait & until test -e ready; do sleep 0.02; done; kill $!; wait $!; test $? = 143
// profrt: run rm ready; bash $SRC/counts.sh work=5 default.profraw
// profrt: variant not-in-the-list
// profrt: no-profile
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=INT,HUP ended main raise 15 2>&1)" = "signal 15"
// profrt: variant list
// Any way to write a signal, spaces, and words that are none: one warning each, and the rest works.
// profrt: run LLVM_PROFILE_FILE=a.profraw LLVM_PROFILE_DUMP_SIGNALS=' sigusr1 , nonsense, 15,36,SIGKILL,STOP,,' ended main raise 36 > out 2> err
// profrt: run test "$(cat out)" = "signal 36"
// profrt: run grep -c Warning err | grep -qx 3 && grep -q '"nonsense" is left out: it is no signal' err && grep -q '"SIGKILL" is left out: it cannot be caught' err && grep -q '"STOP" is left out' err
// profrt: run test "$(LLVM_PROFILE_FILE=b.profraw LLVM_PROFILE_DUMP_SIGNALS=term,sigusr1 ended main raise 10 2>&1)" = "signal 10"
// profrt: run rm out err; bash $SRC/counts.sh work=10 a.profraw b.profraw
// profrt: variant every-signal
// Each ends the program as it does without us, faults and those that core files are made for too.
// profrt: run for s in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 40 64; do test "$(LLVM_PROFILE_FILE=$s.profraw LLVM_PROFILE_DUMP_SIGNALS=$s ended main raise $s 2>&1)" = "signal $s" || exit 1; done
// profrt: run test $(ls *.profraw | wc -l) = 25 && bash $SRC/counts.sh work=125 *.profraw
// profrt: variant core
// The status says that a core file was made, where it would have been.
// profrt: run ulimit -c unlimited; test "$(main core 6)" = "$(LLVM_PROFILE_DUMP_SIGNALS=ABRT,SEGV main core 6)" && test "$(main core 11)" = "$(LLVM_PROFILE_DUMP_SIGNALS=ABRT,SEGV main core 11)" && rm -f core*
// profrt: variant core-file
// And in it is what would have been: the instruction at fault, its address. (Where core files go elsewhere, nothing is looked at.)
// profrt: needs gdb: reads the core file
// profrt: run ulimit -c unlimited; LLVM_PROFILE_DUMP_SIGNALS=SEGV ended main crash > out 2>&1; test "$(cat out)" = "signal 11" && rm out
// profrt: run test "$(cat /proc/sys/kernel/core_pattern)" = core || exit 0; mv core* ../core && gdb -nx -batch -ex 'p $_siginfo._sifields._sigfault.si_addr' -ex bt $BIN/main ../core > ../seen 2>/dev/null; grep -q '0x10$' ../seen && grep -q '^#0 .*fault' ../seen && rm ../core ../seen
// profrt: run rm -f core*; bash $SRC/counts.sh work=5 default.profraw
// profrt: variant abort
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=ABRT ended main abort 2>&1)" = "signal 6"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant faults
// profrt: run for s in 4 5 7 8 11; do test "$(LLVM_PROFILE_FILE=$s.profraw LLVM_PROFILE_DUMP_SIGNALS=SEGV,BUS,ILL,FPE,TRAP ended main fault $s 2>&1)" = "signal $s" || exit 1; done; rm -f short
// profrt: run test $(ls *.profraw | wc -l) = 5 && bash $SRC/counts.sh work=25 *.profraw
// profrt: variant harmless-by-default
// Signals that do nothing by default: dumped, and on it goes.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=CHLD,CONT,URG,WINCH ended main harmless 2>&1)" = "exit 0"
// profrt: run bash $SRC/counts.sh work=30 default.profraw
// profrt: variant harmless-in-four-threads
// The handler is there before, while and after several threads are in it.
// profrt: run for i in 1 2 3; do LLVM_PROFILE_DUMP_SIGNALS=WINCH LLVM_PROFILE_FILE=/dev/null main raises 10000 || exit; done; LLVM_PROFILE_DUMP_SIGNALS=WINCH main raises 10
// profrt: variant harmless-and-a-new-handler
// A handler that the program installs while another thread is in ours stays.
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=WINCH LLVM_PROFILE_FILE=x.profraw main installs 2000
// profrt: variant stops
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TSTP,TTIN,TTOU ended main stops > out 2>&1
// profrt: run test "$(tr '\n' ' ' < out)" = "stopped by 20 stopped by 21 stopped by 22 stopped by 20 exit 0 " && rm out
// profrt: run bash $SRC/counts.sh work=25 default.profraw
// profrt: variant continued-during-the-dump
// A stop that is continued while its dump waits for a locked file does not last.
// profrt: run export LLVM_PROFILE_FILE=x.profraw; main vfork && LLVM_PROFILE_FILE=/dev/null timeout 10 main hold x.profraw & sleep 0.2; test -e held || exit 1; (sleep 0.2; kill -CONT $(cat pid)) & LLVM_PROFILE_DUMP_SIGNALS=TSTP timeout -s KILL 10 main stop; r=$?; wait; rm held pid; exit $r
// profrt: variant ignored
// As under nohup: what was ignored stays so, and is no reason to write.
// profrt: run trap '' TERM HUP; test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM,HUP ended main ignored 2>&1)" = "exit 0"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant handler-before
// A handler that was there before us is called with all that the system says, in its own form.
// profrt: run BEFORE=1 LLVM_PROFILE_DUMP_SIGNALS=USR1,USR2,SEGV ended main before > out 2>&1
// profrt: run test "$(tr '\n' ' ' < out)" = "info 10 1 7 plain 12 plain 12 fault 11 1 exit 0 " && rm out
// profrt: run bash $SRC/counts.sh work=25 default.profraw
// profrt: variant handler-before-once
// profrt: run BEFORE=1 LLVM_PROFILE_DUMP_SIGNALS=35 ended main once > out 2>&1
// profrt: run test "$(tr '\n' ' ' < out)" = "plain 35 signal 35 " && rm out
// profrt: run bash $SRC/counts.sh work=10 default.profraw
// profrt: variant handler-behind
// One that the program installs later takes our place.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main behind 2>&1)" = "exit 3"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant handler-behind-chains
// And may call what was there, even in the form without arguments: us.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM,USR1 ended main chains 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant errno
// A dump that fails leaves errno to the program.
// profrt: no-profile
// profrt: run test "$(BEFORE=1 LLVM_PROFILE_FILE=/proc/none/x.profraw LLVM_PROFILE_DUMP_SIGNALS=34 ended main errno 2>err)" = "exit 77"
// profrt: run grep -c 'Failed to write file' err | grep -qx 2 && rm err
// profrt: variant dumped
// After a dump that the program asked for nothing is written twice.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main dumped 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant stream
// A stream of the program may be locked: it is left alone, and that is said.
// profrt: no-profile
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM ended main stream > out 2> err; test "$(cat out)" = "signal 15"
// profrt: run grep -q 'Warning: No profile is written when a signal comes' err && rm out err stream
// profrt: variant inside-a-dump
// A signal in the middle of a dump, which waits for another process's lock: it comes when the dump is done.
// profrt: run LLVM_PROFILE_FILE=x.profraw main nothing; LLVM_PROFILE_FILE=/dev/null main hold x.profraw & until test -e held; do sleep 0.02; done; test "$(__LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=ALRM ended main writes 2>&1)" = "signal 14"
// profrt: run rm held && bash $SRC/counts.sh work=10 x.profraw
// profrt: variant inside-the-last-dump
// The same at exit: what was written is found again, and each count is there once.
// profrt: run LLVM_PROFILE_FILE=x.profraw main nothing; LLVM_PROFILE_FILE=/dev/null main hold x.profraw & until test -e held; do sleep 0.02; done; test "$(__LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=ALRM ended main leaves 2>&1)" = "signal 14"
// profrt: run rm held && bash $SRC/counts.sh work=10 x.profraw
// profrt: variant beside-the-last-dump
// And when the signal comes to another thread, which then waits for the dump. (Behind that, threads may take long to wake up.)
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=x.profraw main nothing; rm -f held; LLVM_PROFILE_FILE=/dev/null main hold x.profraw & until test -e held; do sleep 0.02; done; __LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=ALRM ended main leaves thread > out 2>&1; wait; test "$(cat out)" = "signal 14" && break; done; test $i -lt 3
// profrt: run rm held out && bash $SRC/counts.sh work=10 x.profraw
// profrt: variant often
// At any time in a program that does nothing but count and write: all calls up to the signal are there.
// profrt: run for i in $(seq 15); do test "$(LLVM_PROFILE_FILE=x$i.profraw LLVM_PROFILE_DUMP_SIGNALS=ALRM ended main often $((500 + i * 137)) 2>&1)" = "signal 14" || exit 1; done
// profrt: run n=$(cat *.count | awk '{ sum += $1 } END { print sum }'); rm *.count; bash $SRC/counts.sh work=$n..$((n + 15)) x*.profraw
// profrt: variant during-exit
// After the profile of exit was written, our handler is gone: the signal does what it does.
// profrt: run test "$(LATE=1 LLVM_PROFILE_DUMP_SIGNALS=TERM ended main raise-late 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work=5 default.profraw
// profrt: variant threads
// The signal comes to a thread while others count.
// profrt: flags -fprofile-update=atomic
// profrt: run for i in 1 2 3 4; do test "$(LLVM_PROFILE_FILE=x$i.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main threads 2>&1)" = "signal 15" || exit 1; done
// profrt: variant values
// With value profiles, which are interrupted in the middle.
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run for i in $(seq 10); do test "$(LLVM_PROFILE_FILE=x$i.profraw LLVM_PROFILE_DUMP_SIGNALS=ALRM ended main values $((i * 211)) 2>&1)" = "signal 14" || exit 1; done
// profrt: variant setuid
// profrt: needs root: a set-uid program of another owner
// profrt: no-profile
// profrt: run chmod 777 .; cp $BIN/main ./suid; chown 65534 suid; chmod u+s suid; LLVM_PROFILE_DUMP_SIGNALS=TERM ended ./suid raise 15 > out; test "$(cat out)" = "signal 15" && rm out suid && chmod 755 .
// profrt: variant vfork
// A child of vfork has our memory, but is not us.
// profrt: run test "$(LLVM_PROFILE_FILE=x-%p.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main vfork 2>&1)" = "exit 0"
// profrt: run test $(ls x-*.profraw | wc -l) = 1 && bash $SRC/counts.sh work=5 x-*.profraw
// profrt: variant forked
// A child of fork dumps for itself.
// profrt: run test "$(LLVM_PROFILE_FILE=x-%p.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM LLVM_PROFILE_FORK=reset ended main forked 2>&1)" = "exit 0"
// profrt: run test $(ls x-*.profraw | wc -l) = 2 && bash $SRC/counts.sh work=12 x-*.profraw
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_dump(void);
int __llvm_profile_write_file(void);
void __llvm_profile_set_file_object(FILE *, int);
const char *__llvm_profile_get_filename(void);

__attribute__((noinline)) int work(int x) { return x + 1; }
static volatile int sink;
static void five(void) {
  for (int i = 0; i < 5; i++)
    sink = work(i);
}
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*volatile ops[])(int) = {one, two};

static void say(const char *what, int number, int code, int value) {
  char text[64];
  write(1, text, snprintf(text, sizeof text, code ? value ? "%s %d %d %d\n" : "%s %d %d\n" : "%s %d\n", what, number, code, value));
}
static void plain(int number) {
  say("plain", number, 0, 0);
  five();
}
static void with_info(int number, siginfo_t *info, void *context) {
  // SI_QUEUE is negative.
  say("info", number, info->si_code == SI_QUEUE ? 1 : 99, info->si_value.sival_int);
  five();
}
static void on_fault(int number, siginfo_t *info, void *context) {
  say("fault", number, info->si_addr == (void *)16, 0);
  five();
  exit(0);
}
static void quiet(int number) {}

static void install(int number, void *handler, int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = (void (*)(int, siginfo_t *, void *))handler;
  action.sa_flags = flags;
  sigaction(number, &action, 0);
}
__attribute__((constructor(101), no_profile_instrument_function)) static void before(void) {
  if (!getenv("BEFORE"))
    return;
  install(SIGUSR1, with_info, SA_SIGINFO);
  install(SIGUSR2, plain, 0);
  install(SIGSEGV, on_fault, SA_SIGINFO);
  install(SIGRTMIN, quiet, 0);
  install(SIGRTMIN + 1, plain, SA_RESETHAND);
}

static void raise_late(void) { raise(SIGTERM); }
// Registered before ours, so called behind it.
__attribute__((constructor(101), no_profile_instrument_function)) static void late(void) {
  if (getenv("LATE"))
    atexit(raise_late);
}

static void (*earlier)(int);
static void behind(int number) {
  __llvm_profile_write_file();
  _exit(3);
}
static void chain(int number) { earlier(number); }

static void start_timer(int micros) {
  struct itimerval timer = {{0, 0}, {micros / 1000000, micros % 1000000}};
  setitimer(ITIMER_REAL, &timer, 0);
}
static void *count_for_ever(void *x) {
  for (int i = 0;; i++)
    sink = work(i);
  return x;
}
static void *wait_for_ever(void *x) {
  for (;;)
    pause();
  return x;
}

__attribute__((noinline)) static void fault(int number) {
  volatile int zero = 0;
  switch (number) {
  case SIGILL:
    __asm__ volatile("ud2");
  case SIGTRAP:
    __asm__ volatile("int3");
    break;
  case SIGBUS: {
    int fd = open("short", O_RDWR | O_CREAT, 0600);
    char *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    map[0] = 1;
    break;
  }
  case SIGFPE:
    __asm__ volatile("idivl %1" : : "a"(1), "r"(zero), "d"(0));
    break;
  case SIGSEGV:
    *(volatile char *)16 = 1;
  }
}

static void nothing(int signal) {}

static void *raise_often(void *times) {
  for (int i = 0; i < *(int *)times; i++)
    raise(SIGWINCH);
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  int number = argc > 2 ? atoi(argv[2]) : 0;
  struct rlimit none = {0, 0};
  if (strcmp(how, "core") && strcmp(how, "crash"))
    setrlimit(RLIMIT_CORE, &none);
  if (!strcmp(how, "core")) {
    pid_t child = fork();
    if (!child) {
      raise(number);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d %d\n", WTERMSIG(status), WCOREDUMP(status) != 0);
    return 0;
  }
  if (strcmp(how, "often") && strcmp(how, "values") && strcmp(how, "threads"))
    five();
  if (!strcmp(how, "raise"))
    raise(number);
  else if (!strcmp(how, "wait")) {
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    wait_for_ever(0);
  } else if (!strcmp(how, "abort"))
    abort();
  else if (!strcmp(how, "fault"))
    fault(number);
  else if (!strcmp(how, "crash"))
    fault(SIGSEGV);
  else if (!strcmp(how, "harmless")) {
    static const int all[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGCHLD};
    for (int i = 0; i < 5; i++) {
      raise(all[i]);
      if (access("default.profraw", F_OK))
        return 1;
      unlink("default.profraw");
      five();
    }
  } else if (!strcmp(how, "stops")) {
    static const int all[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGTSTP};
    for (int i = 0; i < 4; i++) {
      raise(all[i]);
      if (access("default.profraw", F_OK))
        return 1;
      unlink("default.profraw");
      five();
    }
  } else if (!strcmp(how, "ignored")) {
    raise(SIGTERM);
    raise(SIGHUP);
    return !access("default.profraw", F_OK);
  } else if (!strcmp(how, "before")) {
    union sigval value = {7};
    sigqueue(getpid(), SIGUSR1, value);
    raise(SIGUSR2);
    raise(SIGUSR2);
    fault(SIGSEGV);
  } else if (!strcmp(how, "once")) {
    raise(SIGRTMIN + 1);
    raise(SIGRTMIN + 1);
  } else if (!strcmp(how, "behind")) {
    signal(SIGTERM, behind);
    raise(SIGTERM);
  } else if (!strcmp(how, "chains")) {
    earlier = signal(SIGTERM, chain);
    raise(SIGTERM);
  } else if (!strcmp(how, "errno")) {
    errno = 77;
    raise(SIGRTMIN);
    return errno;
  } else if (!strcmp(how, "dumped")) {
    __llvm_profile_dump();
    five();
    raise(SIGTERM);
  } else if (!strcmp(how, "stream")) {
    __llvm_profile_set_file_object(fopen("stream", "w"), 0);
    raise(SIGTERM);
  } else if (!strcmp(how, "hold")) {
    int fd = open(argv[2], O_RDWR);
    struct flock all = {.l_type = F_WRLCK};
    if (fcntl(fd, F_OFD_SETLK, &all))
      return 1;
    close(open("held", O_CREAT | O_WRONLY, 0600));
    usleep(600000);
  } else if (!strcmp(how, "writes")) {
    start_timer(200000);
    __llvm_profile_write_file();
  } else if (!strcmp(how, "often")) {
    char name[256];
    snprintf(name, sizeof name, "%s.count", getenv("LLVM_PROFILE_FILE"));
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    pwrite(fd, "0\n", 2, 0);
    start_timer(number);
    for (int i = 0;; i++) {
      char text[16];
      pwrite(fd, text, snprintf(text, sizeof text, "%d\n", i), 0);
      sink = work(i);
      __llvm_profile_write_file();
    }
  } else if (!strcmp(how, "leaves")) {
    pthread_t thread;
    if (argc > 2) {
      // Only the other thread takes it.
      pthread_create(&thread, 0, wait_for_ever, 0);
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGALRM);
      pthread_sigmask(SIG_BLOCK, &set, 0);
    }
    start_timer(200000);
  } else if (!strcmp(how, "threads")) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
      pthread_create(&threads[i], 0, count_for_ever, 0);
    usleep(20000);
    pthread_kill(threads[1], SIGTERM);
    wait_for_ever(0);
  } else if (!strcmp(how, "values")) {
    start_timer(number);
    for (int i = 0;; i++)
      sink = ops[i & 1](i);
  } else if (!strcmp(how, "stop")) {
    FILE *file = fopen("pid", "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    raise(SIGTSTP);
  } else if (!strcmp(how, "raises")) {
    struct sigaction before, after;
    pthread_t threads[4];
    sigaction(SIGWINCH, 0, &before);
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], 0, raise_often, &number);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], 0);
    sigaction(SIGWINCH, 0, &after);
    return before.sa_handler != after.sa_handler;
  } else if (!strcmp(how, "installs")) {
    struct sigaction before, own = {.sa_handler = nothing}, after;
    int forever = 1 << 30, lost = 0;
    pthread_t thread;
    sigaction(SIGWINCH, 0, &before);
    pthread_create(&thread, 0, raise_often, &forever);
    for (int i = 0; i < number; i++) {
      sigaction(SIGWINCH, &before, 0);
      usleep(i % 100);
      sigaction(SIGWINCH, &own, 0);
      usleep(200);
      sigaction(SIGWINCH, 0, &after);
      lost += after.sa_handler != nothing;
    }
    if (lost)
      printf("%d of %d lost\n", lost, number);
    _exit(lost != 0);
  } else if (!strcmp(how, "vfork")) {
    pid_t child = vfork();
    if (!child) {
      kill(getpid(), SIGTERM);
      _exit(9);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 0 : 1;
  } else if (!strcmp(how, "forked")) {
    pid_t child = fork();
    if (!child) {
      five();
      raise(SIGTERM);
    }
    int status;
    waitpid(child, &status, 0);
    sink = work(1) + work(2);
    return WIFSIGNALED(status) ? 0 : 1;
  }
  return 0;
}
