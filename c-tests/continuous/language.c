// What the programs of this group are made from: each argument is one step. `work` is straight-line code, so that it has one
// counter in every kind of instrumentation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../merge/interposed.h"

#ifdef LIBRARY
__attribute__((noinline)) int LIBRARY(int x) { return x * 7 + 1; }
int call(int x) { return LIBRARY(x); }
#else
int __llvm_profile_write_file(void), __llvm_profile_dump(void), __llvm_profile_is_continuous_mode_enabled(void);
void __llvm_profile_set_filename(const char *), __llvm_profile_reset_counters(void), __llvm_profile_initialize_file(void);
void __llvm_profile_enable_continuous_mode(void), __llvm_profile_set_page_size(unsigned);
const char *__llvm_profile_get_filename(void);
int __llvm_profile_set_file_object(FILE *, int);
unsigned long long __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
#ifdef CAN_DISABLE
void __llvm_profile_disable_continuous_mode(void);
#else
static void __llvm_profile_disable_continuous_mode(void) {}
#endif
#ifdef LIBRARIES
int one(int), two(int);
#endif

__attribute__((noinline)) int work(int x) { return x * 3 + 1; }
__attribute__((noinline)) int in_child(int x) { return x * 5 + 1; }
__attribute__((noinline)) int both(int a, int b, int c) { return (a && b) || c ? 5 : 6; }
__attribute__((noinline)) int twice(int x) { return x + x; }
__attribute__((noinline)) int thrice(int x) { return x + x + x; }
int (*volatile target)(int) = twice;
volatile size_t length = 5;
char from[64], to[64];

// Half of the calls go to each of two functions; all copies have five bytes.
__attribute__((noinline)) void values(int n) {
  for (int i = 0; i < n; i++) {
    target(i);
    target = target == twice ? thrice : twice;
    memcpy(to, from, length);
  }
}

static void times(int (*f)(int), int n) {
  for (int i = 0; i < n; i++)
    f(i);
}

static void *thread(void *n) { return times(work, *(int *)n), NULL; }

static int is(const char *arg, const char *name, const char **rest) {
  size_t n = strlen(name);
  *rest = arg + n;
  return !strncmp(arg, name, n) && (name[n - 1] == '=' || !arg[n]);
}

static void buffer(const char *name) {
  char *bytes = calloc(1, __llvm_profile_get_size_for_buffer());
  size_t size = __llvm_profile_get_size_for_buffer();
  printf("buffer %d\n", __llvm_profile_write_buffer(bytes));
  FILE *file = fopen(name, "w");
  fwrite(bytes, 1, size, file);
  fclose(file);
  free(bytes);
}

// The profile goes to a stream, which stays open.
static void stream(const char *name, int merge) {
  FILE *file = *name ? fopen(name, access(name, F_OK) ? "w+" : "r+") : NULL;
  printf("stream %d\n", __llvm_profile_set_file_object(file, merge));
}

static void steps(char **args);

static void *library;
static int cloned;

static int step(const char *arg, char **args) {
  const char *rest;
  if (is(arg, "work=", &rest)) times(work, atoi(rest));
#ifdef LIBRARIES
  else if (is(arg, "one=", &rest)) times(one, atoi(rest));
  else if (is(arg, "two=", &rest)) times(two, atoi(rest));
#endif
  else if (is(arg, "in_child=", &rest)) times(in_child, atoi(rest));
  else if (is(arg, "values=", &rest)) values(atoi(rest));
  else if (is(arg, "both=", &rest)) both(rest[0] == '1', rest[1] == '1', rest[2] == '1');
  else if (is(arg, "kill", &rest)) kill(getpid(), SIGKILL);
  else if (is(arg, "clone", &rest)) {
    if (!(cloned = (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))) for (;;) pause();
  } else if (is(arg, "end_clone", &rest)) kill(cloned, SIGKILL), waitpid(cloned, NULL, 0);
  else if (is(arg, "exit", &rest)) exit(0);
  else if (is(arg, "_exit", &rest)) _exit(0);
  else if (is(arg, "write", &rest)) printf("write %d\n", __llvm_profile_write_file());
  else if (is(arg, "dump", &rest)) printf("dump %d\n", __llvm_profile_dump());
  else if (is(arg, "reset", &rest)) __llvm_profile_reset_counters();
  else if (is(arg, "buffer=", &rest)) buffer(rest);
  else if (is(arg, "name", &rest)) printf("name %s\n", __llvm_profile_get_filename());
  else if (is(arg, "set=", &rest)) __llvm_profile_set_filename(rest);
  else if (is(arg, "merge_into=", &rest)) stream(rest, 1);
  else if (is(arg, "write_into=", &rest)) stream(rest, 0);
  else if (is(arg, "initialize", &rest)) __llvm_profile_initialize_file();
  else if (is(arg, "enable", &rest)) __llvm_profile_enable_continuous_mode();
  else if (is(arg, "disable", &rest)) __llvm_profile_disable_continuous_mode();
  else if (is(arg, "page=", &rest)) __llvm_profile_set_page_size((unsigned)atoi(rest));
  else if (is(arg, "enabled", &rest)) printf("enabled %d\n", __llvm_profile_is_continuous_mode_enabled());
  else if (is(arg, "chdir=", &rest)) printf("chdir %d\n", chdir(rest));
  else if (is(arg, "chroot=", &rest)) printf("chroot %d\n", chroot(rest) | chdir("/"));
  else if (is(arg, "remove=", &rest)) unlink(rest);
  else if (is(arg, "system=", &rest)) printf("system %d\n", system(rest));
  else if (is(arg, "user=", &rest)) printf("user %d\n", setgid((gid_t)atoi(rest)) | setuid((uid_t)atoi(rest)));
  else if (is(arg, "replace_descriptors", &rest)) {
    for (int i = 3; i < 64; i++) close(i);
    for (int i = 3; i < 64; i++) open("/dev/null", O_RDONLY);
  } else if (is(arg, "descriptors", &rest)) {
    int all = 0;
    for (int i = 3; i < 64; i++) all += fcntl(i, F_GETFD) >= 0;
    printf("descriptors %d\n", all);
  } else if (is(arg, "limit=", &rest)) setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)atoi(rest), RLIM_INFINITY});
  else if (is(arg, "files=", &rest)) setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)atoi(rest), (rlim_t)atoi(rest)});
  else if (is(arg, "load=", &rest)) {
    library = dlopen(rest, RTLD_NOW | RTLD_LOCAL);
    if (!library) puts(dlerror());
  } else if (is(arg, "call=", &rest)) {
    int (*call)(int) = (int (*)(int))dlsym(library, "call");
    for (int n = atoi(rest); n--;) call(n);
  } else if (is(arg, "unload", &rest)) dlclose(library);
  else if (is(arg, "threads=", &rest)) {
    pthread_t threads[4];
    int n = atoi(rest);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, &n);
    for (int i = 0; i < 100; i++) __llvm_profile_write_file();
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  } else if (is(arg, "moving_threads=", &rest)) {
    pthread_t threads[4];
    int n = atoi(rest);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, &n);
    for (int i = 0; i < 100; i++) __llvm_profile_set_filename(i % 2 ? "a%c.profraw" : "b%c.profraw");
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  } else if (is(arg, "fork", &rest)) {
    // The child takes the steps up to `parent`.
    fflush(stdout);
    if (!fork()) {
      steps(args);
      exit(0);
    }
    return 1;
  } else if (is(arg, "wait", &rest)) while (wait(NULL) > 0) {}
  else printf("%s: no such step\n", arg);
  fflush(stdout);
  return 0;
}

static void steps(char **args) {
  while (*args && strcmp(*args, "parent")) {
    char *arg = *args++;
    if (step(arg, args)) {
      while (*args && strcmp(*args, "parent")) args++;
      if (*args) args++;
    }
  }
}

int main(int argc, char **argv) {
  (void)argc;
  steps(argv + 1);
  return 0;
}
#endif
