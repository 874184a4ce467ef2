// A file that several writers share: what each has written before is found again, and nobody's counts are touched.
// profrt: flags -fprofile-instr-generate
// profrt: lflags -pthread
// profrt: only-ours: the official archive counts a second write again and shares names between parent and child
// profrt: variant unlinked
// A forked child has our addresses and writes where our share was, after the file was removed: its counts stay.
// profrt: ours main unlinked && bash $SRC/counts.sh f=2..3 g=1 default.profraw
// profrt: variant lower
// A thread that has read a counter stores an old value: the counts are still ours.
// profrt: ours main lower && bash $SRC/counts.sh f=3 default.profraw
// profrt: variant turns
// Three writes by the parent and one by a child in between: 3 calls of f by the parent, 1 more in the child's copy of 2.
// profrt: ours main turns && $PROFDATA merge default.profraw -o t && $PROFDATA show --function=f --counts t | grep -q 'count: 6' && rm t
// profrt: variant left-behind
// The parent ends without another write: its 1 call stays, beside the 2 in the child's copy.
// profrt: ours main left-behind; $PROFDATA merge default.profraw -o t && $PROFDATA show --function=f --counts t | grep -q 'count: 3' && rm t
// profrt: variant forked-while-locked
// A child that runs no fork handlers has the file open too, with the lock: that is given back nevertheless. Nothing can be renamed, so
// the file stays the same.
// profrt: needs strace: it holds the thread back while it has the lock
// profrt: ours touch default.profraw; __LLVM_PROFILE_RT_INIT_ONCE=1 timeout 20 strace -f -o /dev/null -e trace=/^rename -e inject=/^rename:error=EXDEV:delay_enter=300000 main locked
// profrt: variant early-temp-dir
// profrt: ours mkdir d; TMPDIR=$PWD/d LLVM_PROFILE_FILE=%tx.profraw main clearenv && test -s d/x.profraw
// profrt: variant sticky
// A file of another owner, in a directory where only owners rename: written in place.
// profrt: needs root: to make a file that is another's
// profrt: no-profile
// profrt: ours chmod 755 . ..; mkdir s; chmod 1777 s; touch s/x.profraw; chmod 666 s/x.profraw; cp $BIN/main s/main; chmod 755 s/main; P=$(mktemp -d); chmod 1777 $P; mv s/* $P; su -s /bin/sh nobody -c "LLVM_PROFILE_FILE=$P/x.profraw $P/main" && $PROFDATA show $P/x.profraw | grep -q 'Total functions'; r=$?; rm -r $P s; exit $r
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t _Fork(void);
int __llvm_profile_write_file(void);
uint64_t *__llvm_profile_begin_counters(void);
uint64_t *__llvm_profile_end_counters(void);
void __llvm_profile_set_filename(const char *);

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

static void twice(void) {
  f();
  f();
}

static void *write_once(void *unused) {
  __llvm_profile_write_file();
  return 0;
}

// Counts nothing, so that the child's counters are those of the parent's last write.
__attribute__((no_profile_instrument_function)) static void end_in_directory(void) {
  pid_t pid = fork();
  int status, failed = chdir("d");
  if (pid != 0)
    failed |= waitpid(pid, &status, 0) != pid;
  exit(failed);
}

// Runs `child` in a forked child that ends with exit.
static void in_child(void (*child)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    child();
    exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "unlinked")) {
    __llvm_profile_write_file();
    unlink("default.profraw");
    in_child(twice);
    f();
    g();
  } else if (!strcmp(what, "lower")) {
    twice();
    __llvm_profile_write_file();
    for (uint64_t *at = __llvm_profile_begin_counters(); at < __llvm_profile_end_counters(); at++)
      *at -= *at == 1;
    f();
  } else if (!strcmp(what, "turns")) {
    f();
    __llvm_profile_write_file();
    f();
    in_child(f);
    __llvm_profile_write_file();
    f();
  } else if (!strcmp(what, "left-behind")) {
    f();
    __llvm_profile_write_file();
    in_child(f);
    _exit(0);
  } else if (!strcmp(what, "two-files")) {
    __llvm_profile_set_filename("a.profraw");
    in_child(twice);
    f();
    __llvm_profile_write_file();
    __llvm_profile_set_filename("b.profraw");
    f();
    __llvm_profile_write_file();
    __llvm_profile_set_filename("a.profraw");
    f();
  } else if (!strcmp(what, "two-directories")) {
    f();
    __llvm_profile_write_file();
    end_in_directory();
  } else if (!strcmp(what, "locked")) {
    pthread_t thread;
    pthread_create(&thread, 0, write_once, 0);
    usleep(100000);
    pid_t parent = getpid(), pid = _Fork();
    if (pid == 0) {
      while (getppid() == parent)
        usleep(10000);
      exit(0);
    }
    if (argc > 2)
      kill(parent, SIGKILL);
    pthread_join(thread, 0);
    int failed = __llvm_profile_write_file();
    kill(pid, SIGKILL);
    return failed ? 1 : 0;
  } else if (!strcmp(what, "orphan")) {
    pthread_t thread;
    pthread_create(&thread, 0, write_once, 0);
    usleep(100000);
    pid_t pid = fork();
    if (pid == 0)
      for (;;)
        pause();
    FILE *file = fopen("child", "w");
    fprintf(file, "%d\n", pid);
    fclose(file);
    kill(getpid(), SIGKILL);
  } else if (!strcmp(what, "clearenv")) {
    clearenv();
  }
  return 0;
}
