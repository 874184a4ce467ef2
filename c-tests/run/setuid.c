// A set-uid program writes nothing that it has not asked for: not where its caller's environment says, and not in its caller's working
// directory, where a link may lead to any file of its owner. What it asks for itself, with a name of its own, works.
// profrt: needs root: a set-uid program of another owner
// profrt: only-ours: the official archive heeds the environment, and writes through links
// profrt: flags -fprofile-instr-generate
// profrt: variant exit
// profrt: no-profile
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid
// profrt: run LLVM_PROFILE_FILE=evil.profraw ./suid; ./suid; ln -s precious default.profraw; ./suid
// profrt: run test ! -e evil.profraw -a ! -e precious -a -L default.profraw; r=$?; rm suid default.profraw; chmod 755 .; exit $r
// profrt: variant named
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid; LLVM_PROFILE_FILE=evil.profraw ./suid work name=own.profraw write work; rm suid; chmod 755 .
// profrt: run bash $SRC/counts.sh work=1 own.profraw && test "$(ls)" = own.profraw
// profrt: variant default-name
// Nobody has chosen it, and the directory is the caller's. An explicit write is an error, with a line.
// profrt: no-profile
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid
// profrt: run=1 ./suid work write 2> complaint
// profrt: run=1 ./suid work noname write 2>> complaint
// profrt: run=1 ./suid order 2>> complaint
// profrt: run test "$(grep -c 'default.profraw.*set-uid' complaint)" = 3 -a "$(wc -l < complaint)" = 3; r=$?; rm suid complaint; chmod 755 .; test -z "$(ls)" -a $r = 0
// profrt: variant compiled-in
// A relative name leads where the caller wants.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate=relative.profraw
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid
// profrt: run=1 ./suid work write 2> complaint
// profrt: run grep -q 'relative.profraw.*set-uid' complaint; r=$?; rm suid complaint; chmod 755 .; test -z "$(ls)" -a $r = 0
// profrt: variant compiled-in-from-the-root
// profrt: no-profile
// profrt: flags -fprofile-instr-generate=/dev/shm/profrt-set-uid-%p.profraw
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid
// profrt: run f=/dev/shm/profrt-set-uid-$(./suid pid).profraw; test ! -e $f
// profrt: run f=/dev/shm/profrt-set-uid-$(./suid pid work write work).profraw; bash $SRC/counts.sh work=1 $f; r=$?; rm -f $f suid; chmod 755 .; exit $r
// profrt: variant continuous
// The file would be mapped, and so written, at the start.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate=/dev/shm/profrt-set-uid-%p%c.profraw -mllvm -runtime-counter-relocation
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid
// profrt: run f=/dev/shm/profrt-set-uid-$(./suid pid work).profraw; rm suid; chmod 755 .; test ! -e $f
// profrt: variant fork
// LLVM_PROFILE_FORK is the caller's too.
// profrt: run chmod 777 .; cp $BIN/main suid; chown 65534 suid; chmod u+s suid; LLVM_PROFILE_FORK=reset ./suid work fork name=own.profraw write; rm suid; chmod 755 .
// profrt: run bash $SRC/counts.sh work=1 own.profraw
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void), __llvm_orderfile_write_file(void);
void __llvm_profile_set_filename(const char *);

__attribute__((noinline)) int work(int x) { return x > 5; }

int main(int argc, char **argv) {
  int failed = getuid() == geteuid();
  for (int i = 1; i < argc; i++) {
    const char *what = argv[i];
    if (!strcmp(what, "work"))
      failed |= work(1);
    else if (!strcmp(what, "write"))
      failed |= __llvm_profile_write_file() != 0;
    else if (!strcmp(what, "order"))
      failed |= __llvm_orderfile_write_file() != 0;
    else if (!strncmp(what, "name=", 5))
      __llvm_profile_set_filename(what + 5);
    else if (!strcmp(what, "noname"))
      __llvm_profile_set_filename(0);
    else if (!strcmp(what, "pid"))
      printf("%d\n", getpid());
    else if (!strcmp(what, "fork") && fork()) {
      int status;
      wait(&status);
      return status != 0;
    }
  }
  return failed;
}
