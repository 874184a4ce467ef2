// LLVM_PROFILE_FORK=reset: a child begins with no counts, so that the profiles of parent and children add up to what was done.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: lflags -pthread
// profrt: only-ours: LLVM's runtime always counts what came before the fork twice
// profrt: variant off
// Without the variable the child has its parent's counts, in its own file.
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main fork
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh before=2 child=1 after=1 x-*.profraw
// profrt: variant inherit
// profrt: run LLVM_PROFILE_FORK=inherit LLVM_PROFILE_FILE=x-%p.profraw main fork 2> err; test ! -s err && rm err
// profrt: run bash $SRC/counts.sh before=2 child=1 after=1 x-*.profraw
// profrt: variant wrong
// profrt: run LLVM_PROFILE_FORK=yes LLVM_PROFILE_FILE=x-%p.profraw main fork 2> err
// profrt: run grep -q 'Warning: LLVM_PROFILE_FORK is ignored: it must be "reset" or "inherit", not "yes".' err && rm err
// profrt: run bash $SRC/counts.sh before=2 child=1 after=1 x-*.profraw
// profrt: variant pid
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main fork
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh before=1 child=1 after=1 x-*.profraw
// profrt: variant one-file
// profrt: run LLVM_PROFILE_FORK=reset main fork
// profrt: run bash $SRC/counts.sh before=1 child=1 after=1 default.profraw
// profrt: variant pool
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%m.profraw main fork; done
// profrt: run bash $SRC/counts.sh before=3 child=3 after=3 x-*.profraw
// profrt: variant written-before
// What the parent has written before it forks stays its own, dumped or not.
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x.profraw main write; LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=y.profraw main dump
// profrt: run bash $SRC/counts.sh before=1 child=1 after=1 x.profraw
// profrt: run bash $SRC/counts.sh before=1 child=1 after=0 y.profraw
// profrt: variant grandchildren
// profrt: run LLVM_PROFILE_FORK=reset main deep
// profrt: run bash $SRC/counts.sh before=1 child=5 after=1 default.profraw
// profrt: variant values
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x.profraw main values && $PROFDATA merge x.profraw -o ../t && $PROFDATA show --all-functions --ic-targets ../t > ../values && rm ../t
// profrt: run grep -E '\[' ../values | awk '{ gsub(/[^0-9,]/, " "); n = split($0, part, ","); split(part[3], count, " "); sum += count[1] } END { exit sum != 700 }' && rm ../values
// profrt: variant values-allocated
// profrt: flags -fprofile-generate -fno-profile-instr-generate -mllvm -vp-static-alloc=false
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x.profraw main values && $PROFDATA merge x.profraw -o ../t && $PROFDATA show --all-functions --ic-targets ../t > ../values && rm ../t
// profrt: run grep -E '\[' ../values | awk '{ gsub(/[^0-9,]/, " "); n = split($0, part, ","); split(part[3], count, " "); sum += count[1] } END { exit sum != 700 }' && rm ../values
// profrt: variant bytes
// Byte counters begin as "not covered".
// profrt: clang 17..
// profrt: flags -fprofile-generate -fno-profile-instr-generate -mllvm -pgo-function-entry-coverage
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=%p.profraw main fork > pid
// profrt: run test "$($PROFDATA show --covered $(cat pid).profraw | tr '\n' ' ')" = "child " && rm pid
// profrt: variant mcdc
// profrt: clang 19..
// profrt: flags -fcoverage-mapping -fcoverage-mcdc
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main fork
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh before=1 child=1 after=1 x-*.profraw
// profrt: variant threads
// Threads count and the process forks, again and again. Everything arrives once.
// profrt: flags -fprofile-update=atomic
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main threads > n
// profrt: run bash $SRC/counts.sh work=$(cat n) child=40 x-*.profraw && rm n
// profrt: variant threads-pool
// profrt: flags -fprofile-update=atomic
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%m.profraw main threads > n
// profrt: run bash $SRC/counts.sh work=$(cat n) child=40 x-*.profraw && rm n
// profrt: variant threads-values
// The same in the value profiler, at a site that is full and taken by another thread when the process forks: new values in
// the child are counted there, and nobody waits.
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=3 LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw timeout 50 main full
// profrt: run for f in x-*.profraw; do $PROFDATA show --all-functions --ic-targets $f | grep -c 'late,.* 6 '; done | sort | uniq -c | tr -s ' ' | paste -sd, > ../s; cat ../s; test "$(cat ../s)" = " 1 0, 20 1" && rm ../s
// profrt: variant threads-values-inherit
// profrt: flags -fprofile-generate -fno-profile-instr-generate
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=3 LLVM_PROFILE_FILE=x-%p.profraw timeout 50 main full
// profrt: variant threads-dumping
// A thread writes the profile while others fork.
// profrt: flags -fprofile-update=atomic
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main dumping > n
// profrt: run bash $SRC/counts.sh work=$(cat n) child=40 x-*.profraw && rm n
// profrt: variant vfork-exec
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main vfork
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh before=1 program=1 after=1 x-*.profraw
// profrt: variant vfork-exit
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main vfork_exit
// profrt: run test $(ls | wc -l) = 1 && bash $SRC/counts.sh before=1 program=0 after=1 x-*.profraw
// profrt: variant spawn
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x-%p.profraw main spawn
// profrt: run test $(ls | wc -l) = 2 && bash $SRC/counts.sh before=1 program=1 after=1 x-*.profraw
// profrt: variant spawn-one-file
// profrt: run LLVM_PROFILE_FORK=reset main spawn
// profrt: run bash $SRC/counts.sh before=1 program=1 after=1 default.profraw
// profrt: variant shared-object
// Each image does so for itself.
// profrt: flags -fPIC
// profrt: object main.o -DMAIN_ONLY
// profrt: object lib.o -DLIB_ONLY
// profrt: shared liblib.so lib.o
// profrt: program main main.o liblib.so
// profrt: run LLVM_PROFILE_FORK=reset main fork
// profrt: run bash $SRC/counts.sh before=1 child=1 after=1 default.profraw
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_dump(void);
int __llvm_profile_write_file(void);

#ifndef MAIN_ONLY
__attribute__((noinline)) int before(int x) { return x > 1 && x < 9; }
__attribute__((noinline)) int child(int x) { return x + 2; }
__attribute__((noinline)) int after(int x) { return x + 3; }
#else
int before(int), child(int), after(int);
#endif

#ifndef LIB_ONLY
__attribute__((noinline)) int program(int x) { return x + 4; }
__attribute__((noinline)) int work(int x) { return x + 5; }
extern char **environ;
static volatile int sink, stop;
__attribute__((noinline)) int late(int x) { return x + 7; }
#define MORE late
#include "../values/six.h"
__attribute__((noinline)) static int site(int i) { return ops[i](i); }

static void reap(pid_t pid) {
  int status;
  if (waitpid(pid, &status, 0) != pid || status)
    exit(1);
}
static unsigned long calls[4];
#define PLAIN __attribute__((no_profile_instrument_function))
PLAIN static void *count(void *which) {
  unsigned long n = 0;
  for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++)
    sink = work((int)n);
  calls[(long)which] = n;
  return 0;
}
PLAIN static void *call(void *which) {
  for (int i = (int)(long)which; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
    sink = site(i % 6);
  return 0;
}
PLAIN static void *dump(void *which) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    __llvm_profile_write_file();
  return 0;
}
PLAIN static void *fork_often(void *which) {
  for (int i = 0; i < 20; i++) {
    pid_t pid = fork();
    if (!pid) {
      sink = child(1) + child(2);
      if (which)
        for (int k = 0; k < 6; k++)
          sink = site(6);
      exit(0);
    }
    reap(pid);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "program"))
    return sink = program(1) - 5;
  int many = !strcmp(how, "threads") || !strcmp(how, "full") || !strcmp(how, "dumping");
  if (!many)
    sink = before(5);
  pid_t pid = 0;
  if (!strcmp(how, "fork") || !strcmp(how, "write") || !strcmp(how, "dump")) {
    if (how[0] == 'w')
      __llvm_profile_write_file();
    if (how[0] == 'd')
      __llvm_profile_dump();
    pid = fork();
    if (!pid) {
      sink = child(1);
      exit(0);
    }
    printf("%d\n", (int)pid);
    reap(pid);
  } else if (!strcmp(how, "deep")) {
    for (int i = 0; i < 5; i++) {
      pid = fork();
      if (pid) {
        reap(pid);
        if (i)
          exit(0);
        break;
      }
      sink = child(1);
      if (i == 4)
        exit(0);
    }
  } else if (!strcmp(how, "values")) {
    for (int i = 0; i < 300; i++)
      sink = site(i % 6);
    pid = fork();
    for (int i = 0; i < 200; i++)
      sink = site(i % 6);
    if (pid)
      reap(pid);
    return 0;
  } else if (many) {
    pthread_t threads[4];
    void *(*what)(void *) = how[0] == 'f' ? call : count;
    for (long i = 0; i < 3; i++)
      pthread_create(&threads[i], 0, i == 2 && how[0] == 'd' ? dump : what, (void *)i);
    fork_often(how[0] == 'f' ? "" : 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
      pthread_join(threads[i], 0);
    printf("%lu\n", calls[0] + calls[1] + calls[2]);
    return 0;
  } else if (!strncmp(how, "vfork", 5)) {
    pid = vfork();
    if (!pid) {
      if (how[5])
        _exit(0);
      execlp("main", "main", "program", (char *)0);
      _exit(1);
    }
    reap(pid);
  } else if (!strcmp(how, "spawn")) {
    char *args[] = {"main", "program", 0};
    if (posix_spawnp(&pid, "main", 0, 0, args, environ))
      return 1;
    reap(pid);
  }
  sink = after(1);
  return 0;
}
#endif
