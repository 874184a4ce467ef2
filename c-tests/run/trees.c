// Random trees of processes whose counts are known: what was written, at exit or before, is in the files once, and nothing else is.
// The program keeps its own account: before each write it appends to the file `account` what that write has to add.
// profrt: needs python3: adds up the account
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: no-profile
// profrt: only-ours: LLVM's runtime loses and doubles counts
// profrt: object main.o
// profrt: object library.o -DLIBRARY -fPIC
// profrt: shared library.so library.o
// profrt: program main main.o -ldl
// profrt: variant plain
// profrt: run $SRC/trees.sh x.profraw 0 12
// profrt: variant pool
// profrt: run $SRC/trees.sh x%m.profraw 0 12
// profrt: variant full-file-system
// profrt: needs root: mounts a small one, which is full now and then
// profrt: run SMALL=1 unshare -m $SRC/trees.sh x.profraw 0 6
// profrt: run SMALL=1 unshare -m $SRC/trees.sh x%m.profraw 6 12
// profrt: variant by-process
// profrt: run $SRC/trees.sh x%p.profraw 0 6
// profrt: run $SRC/trees.sh x%p-%m.profraw 6 12
// profrt: variant continuous
// profrt: object main.o -DCONTINUOUS=1
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl
// profrt: run $SRC/trees.sh x%c.profraw 0 6
// profrt: run $SRC/trees.sh x%p%c.profraw 6 12
// profrt: variant continuous-pool
// profrt: object main.o -DCONTINUOUS=2
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl
// profrt: run $SRC/trees.sh x%m%c.profraw 0 6
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY
__attribute__((noinline)) void in_library(void) { __asm__ volatile(""); }
#else
int __llvm_profile_write_file(void);
const char *__llvm_profile_get_filename(void);
int __llvm_profile_dump(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *);
extern char **environ;

__attribute__((noinline)) void work_0(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work_1(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work_2(void) { __asm__ volatile(""); }

enum { KINDS = 4, LIBRARY = 3 };
#ifdef CONTINUOUS
static const int continuous = CONTINUOUS;
#else
static const int continuous = 0;
#endif
static int resets_at_fork;
/* Calls since the last reset, and what of them is in no file of the current name. */
static long total[KINDS], pending[KINDS];
static int dumped, doomed, account, depth, jailed;
/* Whoever waits for a doomed process says that it has exited. */
static uint64_t identity;
static uint64_t state;
static void *library;
static void (*in_library)(void);
static char self[PATH_MAX], directory[PATH_MAX];

static uint64_t next(void) {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* `sure` counts are in a file soon, `maybe` ones if a line `done` follows. */
static void say(const char *word, const long *counts) {
  char line[200];
  int len = snprintf(line, sizeof line, "%s %016llx %ld %ld %ld %ld\n", word, (unsigned long long)identity, counts[0], counts[1], counts[2], counts[3]);
  if (write(account, line, len) != len)
    _exit(99);
}

static void add(long from, long to) {
  long counts[KINDS] = {0};
  for (int i = from; i < to; i++) {
    counts[i] = pending[i];
    pending[i] = 0;
  }
  say(doomed ? "maybe" : "sure", counts);
}

/* The image of the program writes by itself, or at exit. */
static void own_write(int (*call)(void)) {
  if (continuous)
    return;
  if (!dumped)
    add(0, LIBRARY);
  if (call()) {
    say("failed", total);
    _exit(98);
  }
  if (doomed)
    say("done", total);
}

/* Everything that an exit writes. */
static void before_exit(void) {
  add(dumped ? LIBRARY : 0, library ? KINDS : LIBRARY);
}

static void close_library(void) {
  if (!library)
    return;
  add(LIBRARY, KINDS);
  if (dlclose(library))
    _exit(97);
  if (doomed)
    say("done", total);
  library = NULL;
  total[LIBRARY] = 0;
}

static void live(int steps);

static void child(int is_doomed) {
  if (is_doomed)
    doomed = 1;
  identity = next() ^ getpid();
  for (int i = 0; i < KINDS; i++) {
    if (resets_at_fork || continuous)
      total[i] = 0;
    /* A child writes what its parent has written, too. */
    pending[i] = total[i];
  }
  if (resets_at_fork || continuous)
    dumped = 0;
  depth++;
  live(2 + next() % 5);
  before_exit();
  exit(0);
}

static void *forks(void *is_doomed) {
  pid_t *made = malloc(sizeof *made);
  *made = fork();
  if (!*made)
    child(is_doomed != NULL);
  return made;
}

/* A child that ends by itself, or is killed at some moment. */
static void have_child(void) {
  /* Who is killed leaves children, which would find the file system full. */
  int kills = !continuous && !getenv("SMALL") && next() % 3 == 0;
  int by_thread = next() % 4 == 0;
  uint64_t before = state;
  state ^= 0x5555;
  pid_t made;
  int pipes[2];
  if (pipe(pipes))
    _exit(96);
  /* The child's identity, for the account. */
  uint64_t mine = identity;
  if (by_thread) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, forks, kills ? &state : NULL);
    pthread_join(thread, &result);
    made = *(pid_t *)result;
    free(result);
  } else if (!(made = fork()))
    child(kills);
  close(pipes[0]);
  close(pipes[1]);
  state = before + 1;
  uint64_t seed = before ^ 0x5555;
  if (kills) {
    usleep(next() % 3000);
    kill(made, SIGKILL);
  }
  int status;
  if (waitpid(made, &status, 0) != made)
    _exit(95);
  if (kills && WIFEXITED(status)) {
    state = seed;
    identity = next() ^ made;
    say("done", total);
    identity = mine;
    state = before + 2;
  }
  if (!kills && !WIFEXITED(status) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
    say("failed", total);
}

/* Another program, in this process or in a new one. */
static void run_another(int here) {
  char seed[30], deep[30], is_doomed[30];
  sprintf(seed, "%llu", (unsigned long long)next());
  sprintf(deep, "%d", depth + 1);
  char *arguments[] = {self, seed, deep, NULL};
  if (here) {
    /* A doomed process cannot say that its account is that of another program. */
    if (doomed)
      return;
    if (continuous)
      before_exit();
    execv(self, arguments);
    _exit(94);
  }
  pid_t made;
  if (posix_spawn(&made, self, NULL, NULL, arguments, environ))
    _exit(93);
  waitpid(made, NULL, 0);
}

/* Fills the file system. */
static void fill(const char *path) {
  static char page[4096];
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  while (write(file, page, sizeof page) > 0)
    ;
  close(file);
}

static void step(void) {
  int many = depth > 3 ? 0 : 1;
  switch (next() % 16) {
  case 0:
  case 1:
  case 2:
    if (many)
      have_child();
    break;
  case 3:
    own_write(__llvm_profile_write_file);
    break;
  case 4:
    own_write(__llvm_profile_write_file);
    /* With nothing new. */
    own_write(__llvm_profile_write_file);
    break;
  case 5:
    if (next() % 4 == 0 && !continuous) {
      own_write(__llvm_profile_dump);
      dumped = 1;
    }
    break;
  case 6:
    /* A pool file keeps what was counted before. */
    if (continuous == 2)
      add(0, LIBRARY);
    __llvm_profile_reset_counters();
    for (int i = 0; i < LIBRARY; i++)
      total[i] = pending[i] = 0;
    dumped = 0;
    break;
  case 7:
    /* What a stranger's library cost is in no account of ours: it has no pages of its own. */
    if (continuous)
      break;
    if (library) {
      close_library();
    } else {
      char path[PATH_MAX];
      snprintf(path, sizeof path, "%s/library.so", getenv("BIN"));
      library = dlopen(path, RTLD_NOW);
      if (!library)
        _exit(92);
      in_library = (void (*)(void))dlsym(library, "in_library");
    }
    break;
  case 8:
    if (!continuous) {
      char name[PATH_MAX];
      snprintf(name, sizeof name, "%s/x-%016llx.profraw", directory, (unsigned long long)next());
      __llvm_profile_set_filename(name);
      memcpy(pending, total, sizeof(long) * LIBRARY);
    }
    break;
  case 9:
    if (many && !jailed)
      run_another(0);
    break;
  case 10:
    if (many && !jailed && next() % 3 == 0)
      run_another(1);
    break;
  case 11: {
    /* It works and leaves in our memory. */
    pid_t made = vfork();
    if (!made)
      _exit(0);
    waitpid(made, NULL, 0);
    break;
  }
  case 12:
    /* Without its descriptor a file of continuous mode is found by its name alone. */
    if (next() % 3 == 0 && !continuous)
      for (int fd = 3; fd < 40; fd++)
        if (fd != account)
          close(fd);
    break;
  case 13: {
    /* No file can be written, or only what still fits into the last page of one. */
    struct rlimit limit, none;
    char filler[PATH_MAX + 10];
    int is_small = getenv("SMALL") != NULL, has_new = 0;
    if (getrlimit(RLIMIT_FSIZE, &limit) || continuous || dumped)
      break;
    none = limit;
    none.rlim_cur = 0;
    snprintf(filler, sizeof filler, "%s/filler", directory);
    if (is_small)
      fill(filler);
    else
      setrlimit(RLIMIT_FSIZE, &none);
    for (int i = 0; i < LIBRARY; i++)
      has_new |= pending[i] != 0;
    int is_written = has_new && !__llvm_profile_write_file();
    unlink(filler);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (is_written && is_small)
      add(0, LIBRARY);
    else if (is_written)
      say("failed", total);
    break;
  }
  case 14:
    if (continuous && next() % 3 == 0 && !geteuid()) {
      mkdir("jail", 0755);
      if (!jailed && (chroot("jail") || chdir("/")))
        _exit(90);
      jailed = 1;
    } else if (continuous && !jailed) {
      char other[PATH_MAX + 30];
      const char *name = next() % 2 ? directory : __llvm_profile_get_filename();
      snprintf(other, sizeof other, "%s-%016llx%s", name, (unsigned long long)next(), name == directory ? "" : ".profraw");
      rename(name, other);
    }
    break;
  case 15:
    if (depth && next() % 4 == 0) {
      if (continuous)
        before_exit();
      raise(SIGKILL);
    }
    break;
  }
}

static void live(int steps) {
  for (int i = 0; i < steps; i++) {
    int kind = next() % (library ? KINDS : LIBRARY);
    long calls = next() % 5;
    void (*functions[])(void) = {work_0, work_1, work_2, in_library};
    for (long call = 0; call < calls; call++)
      functions[kind]();
    total[kind] += calls;
    pending[kind] += calls;
    step();
  }
}

int main(int argc, char **argv) {
  const char *name = getenv("LLVM_PROFILE_FILE"), *fork_variable = getenv("LLVM_PROFILE_FORK");
  resets_at_fork = fork_variable && !strcmp(fork_variable, "reset");
  snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(name, '/') - name), name);
  if (!realpath("/proc/self/exe", self))
    return 91;
  /* One that no step closes. */
  account = fcntl(open(getenv("ACCOUNT"), O_WRONLY | O_CREAT | O_APPEND, 0600), F_DUPFD, 100);
  signal(SIGXFSZ, SIG_IGN);
  state = strtoull(argv[1], NULL, 10);
  depth = argc > 2 ? atoi(argv[2]) : 0;
  identity = next() ^ getpid();
  live(4 + next() % 8);
  before_exit();
  return 0;
}
#endif
