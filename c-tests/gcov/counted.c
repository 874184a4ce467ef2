// One function whose calls are counted, so that each number can be told: dumps, signals, forks that the compiler does not see, existing
// files, and files that cannot be written. `counters.sh main.gcda 1` prints the count.
// profrt: no-profile
// profrt: flags --coverage
// profrt: object main.o
// profrt: object other.o bare -DOTHER
// profrt: object killer.o ../run/killer.c bare
// profrt: program main main.o other.o
// profrt: program killer killer.o bare
// profrt: variant dump-and-exit
// Each count is in the file once; LLVM's runtime adds what it has dumped a second time.
// profrt: ours main count dump; test "$(bash $SRC/counters.sh main.gcda 1)" = 1 && rm main.gcda
// profrt: ours main count dump count; test "$(bash $SRC/counters.sh main.gcda 1)" = 2
// profrt: ours main count dump count dump dump count; test "$(bash $SRC/counters.sh main.gcda 1)" = 5
// profrt: ours main count dump reset count; test "$(bash $SRC/counters.sh main.gcda 1)" = 7 && rm main.gcda
// profrt: official main count dump; test "$(bash $SRC/counters.sh main.gcda 1)" = 2 && rm main.gcda
// profrt: variant signal
// profrt: ours LLVM_PROFILE_DUMP_SIGNALS=TERM ended main count raise=15; test "$(bash $SRC/counters.sh main.gcda 1)" = 1 && rm main.gcda
// profrt: ours LLVM_PROFILE_DUMP_SIGNALS=USR1 ended main count raise=10 count; test "$(bash $SRC/counters.sh main.gcda 1)" = 1 && rm main.gcda
// profrt: ours LLVM_PROFILE_DUMP_SIGNALS=URG main count raise=23 count raise=23; test "$(bash $SRC/counters.sh main.gcda 1)" = 2 && rm main.gcda
// profrt: ours ended main count raise=15; test ! -e main.gcda
// profrt: object ended.o ../run/ended.c bare
// profrt: program ended ended.o bare
// profrt: variant unseen-fork
// A fork in a library without --coverage copies the counts, and LLVM_PROFILE_FORK=reset keeps each count once.
// profrt: run main count unseen-fork count; bash $SRC/show.sh
// profrt: ours LLVM_PROFILE_FORK=reset main count unseen-fork count; test "$(bash $SRC/counters.sh main.gcda 1)" = 3 && rm main.gcda
// profrt: ours LLVM_PROFILE_FORK=reset main count dump unseen-fork count; test "$(bash $SRC/counters.sh main.gcda 1)" = 3 && rm main.gcda
// profrt: variant other-build
// The counts of another build are replaced, with one message. LLVM's runtime adds what is in the same places.
// profrt: object old.o -DOTHER_BUILD
// profrt: program old old.o other.o
// profrt: run old count && mv old.gcda main.gcda
// profrt: ours main count count 2> err; grep -qx 'LLVM Profile Warning: "main.gcda" cannot be merged: it is of another build of the object file. Its counts are replaced.' err && test $(wc -l < err) = 1 && rm err && test "$(bash $SRC/counters.sh main.gcda 1)" = 2 && rm main.gcda
// profrt: official main count count 2> err; rm main.gcda err
// profrt: variant other-version
// profrt: object old.o -Xclang -coverage-version=B23*
// profrt: program old old.o other.o
// profrt: run old count && mv old.gcda main.gcda
// profrt: ours main count count 2> err; grep -q 'another build' err && test "$(bash $SRC/counters.sh main.gcda 1)" = 2 && rm err main.gcda
// profrt: official main count count && rm main.gcda
// profrt: variant damaged
// Cut at each byte, or with another byte: the file has the run's counts alone. LLVM's runtime leaves the file cut.
// profrt: ours bash $SRC/damaged.sh
// profrt: official ! bash $SRC/damaged.sh > /dev/null 2>&1 && rm -f *
// profrt: variant empty-file
// profrt: run > main.gcda; main count; bash $SRC/show.sh
// profrt: variant crowd
// 64 processes at once.
// profrt: run for i in $(seq 64); do main count & done; wait; test "$(bash $SRC/counters.sh main.gcda 1)" = 64; bash $SRC/show.sh
// profrt: variant crowd-new-directory
// profrt: run export GCOV_PREFIX=new/directory; for i in $(seq 64); do main count & done; wait; test "$(bash $SRC/counters.sh new/directory/main.gcda 1)" = 64; bash $SRC/show.sh
// profrt: variant killed
// Killed before and after each system call: the old file or the new one is there, and the next run adds to it.
// profrt: ours bash $SRC/killed.sh
// profrt: official ! bash $SRC/killed.sh > /dev/null 2>&1 && rm -rf *
// profrt: variant prefix
// profrt: run for strip in '' 0 1 2 9 -1 x; do GCOV_PREFIX=$PWD/p GCOV_PREFIX_STRIP=$strip main count; find . -type f; rm -r p; done
// profrt: run for strip in 0 1; do GCOV_PREFIX=p/ GCOV_PREFIX_STRIP=$strip main count; GCOV_PREFIX_STRIP=$strip main count; find . -type f | sort; rm -r p main.gcda; done
// profrt: run GCOV_PREFIX= GCOV_PREFIX_STRIP=1 main count; find . -type f; rm main.gcda
// profrt: run GCOV_PREFIX=a/b/c main count; find a -printf '%p %m\n'; bash $SRC/show.sh
// profrt: run export GCOV_PREFIX=set; main prefix=in/program count; find . -type f; bash $SRC/show.sh
// profrt: variant absolute
// profrt: cflags -Xclang -coverage-data-file=/profrt/one/two/absolute.gcda
// profrt: run for strip in 0 1 2 2x 3 9; do GCOV_PREFIX=$PWD/p GCOV_PREFIX_STRIP=$strip main count; find . -type f; rm -r p; done
// profrt: variant modes
// profrt: run umask 077; main count; stat -c %a main.gcda; chmod 640 main.gcda; umask 0; main count; stat -c %a main.gcda; bash $SRC/show.sh
// profrt: variant linked-file
// The file that a symbolic link leads to is replaced, and the link stays.
// profrt: run main count && mv main.gcda real.gcda && ln -s real.gcda main.gcda && main count && test -L main.gcda && rm main.gcda && bash $SRC/show.sh
// profrt: variant dangling-link
// profrt: ours ln -s real.gcda main.gcda && main count && test "$(bash $SRC/counters.sh real.gcda 1)" = 1 && rm *.gcda
// profrt: official ln -s real.gcda main.gcda && main count 2> err; test ! -e real.gcda && rm main.gcda err
// profrt: variant device
// profrt: run ln -s /dev/null main.gcda && main count && test -L main.gcda && rm main.gcda
// profrt: variant places
// What cannot be written: one message, and the program's own exit code.
// profrt: ours mkdir main.gcda; EXIT=7 main count 2> err; test $? = 7 && grep -qx 'LLVM Profile Error: Failed to write file "main.gcda": Is a directory' err && test $(wc -l < err) = 1 && rm -r err main.gcda
// profrt: ours GCOV_PREFIX=/proc/nonexistent EXIT=7 main count 2> err; test $? = 7 && grep -q 'Failed to write file "/proc/nonexistent/main.gcda": No such file or directory' err && test $(wc -l < err) = 1 && rm err
// profrt: ours ln -s /dev/full main.gcda; main count 2> err; grep -q 'Failed to write file "main.gcda": No space left on device' err && rm err main.gcda
// profrt: ours (ulimit -f 0; main count 2>&1 | cat) | grep -q 'Failed to write file "main.gcda": File too large' && test ! -e main.gcda
// profrt: variant refused
// profrt: needs root setpriv strace: changes users, and makes system calls fail
// profrt: ours bash $SRC/refused.sh
// profrt: official ! bash $SRC/refused.sh > /dev/null 2>&1 && rm -rf *
// profrt: variant umask
// One that leaves no permissions at all: the next run adds to the file.
// profrt: needs root setpriv: changes users
// profrt: ours chmod 777 .; for i in 1 2; do setpriv --reuid=65534 --regid=65534 --clear-groups bash -c 'umask 777; main count 2>&1'; done >told; chmod 755 .; test ! -s told && test "$(bash $SRC/counters.sh main.gcda 1)" = 2 && test $(stat -c %a main.gcda) = 600 && rm told main.gcda
// profrt: variant in-place
// profrt: needs root setpriv mount: changes users, and mounts
// profrt: object large.o -DLARGE
// profrt: program large large.o other.o
// profrt: ours bash $SRC/in_place.sh
// profrt: variant pipe
// Nobody reads it, and nobody waits for that.
// profrt: ours mkfifo main.gcda; EXIT=7 timeout 10 main count 2> err; test $? = 7 && test $(wc -l < err) = 1 && rm err main.gcda
// profrt: variant nothing-is-unasked
// No temporary file stays, and a program without counts in it writes nothing.
// profrt: run main count; main count; ls -A; bash $SRC/show.sh
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OTHER
// Without --coverage.
int unseen_fork(void) { return fork(); }
#else
int counted(int n) {
#ifdef OTHER_BUILD
  if (n > 3)
    n--;
#endif
  return n;
}

#ifdef LARGE
// 4096 counters, which are zeros.
#define FOUR(X) X X X X
#define BRANCH if (n > 5) n--;
int not_called(int n) {
  FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(BRANCH))))))
  return n;
}
#endif

void __gcov_dump(void);
void __gcov_reset(void);
int unseen_fork(void);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (!strcmp(step, "count")) {
      counted(i);
    } else if (!strcmp(step, "dump")) {
      __gcov_dump();
    } else if (!strcmp(step, "reset")) {
      __gcov_reset();
    } else if (!strncmp(step, "raise=", 6)) {
      raise(atoi(step + 6));
    } else if (!strncmp(step, "prefix=", 7)) {
      setenv("GCOV_PREFIX", step + 7, 1);
    } else if (!strcmp(step, "unseen-fork")) {
      if (!unseen_fork())
        return counted(i), 0;
      wait(NULL);
    }
  }
  return getenv("EXIT") ? atoi(getenv("EXIT")) : 0;
}
#endif
