// What cannot be written: one message with the path and the reason, the exit code of the program, nothing left half written.
// profrt: flags -fprofile-instr-generate
// profrt: variant no-directory
// profrt: no-profile
// profrt: run=5 LLVM_PROFILE_FILE=/proc/nope/x.profraw main
// profrt: variant file-for-directory
// profrt: no-profile
// profrt: run=5 touch f; LLVM_PROFILE_FILE=f/x.profraw main
// profrt: variant directory-for-file
// profrt: no-profile
// profrt: official mkdir d.profraw; LLVM_PROFILE_FILE=d.profraw main; test $? = 5 && rmdir d.profraw
// profrt: ours mkdir d.profraw; LLVM_PROFILE_FILE=d.profraw main 2>err; test $? = 5 && test $(wc -l <err) = 1 && grep -q '"d.profraw" cannot be written: Is a directory, the profile goes to "d-[0-9]*.profraw"' err && $PROFDATA show d-*.profraw && rm -r d* err
// profrt: variant name-too-long
// profrt: no-profile
// profrt: run=5 LLVM_PROFILE_FILE=$(printf 'a%.0s' $(seq 300)).profraw main
// profrt: variant path-too-long
// profrt: no-profile
// profrt: run=5 LLVM_PROFILE_FILE=$(printf 'abcdefghi/%.0s' $(seq 500))x.profraw main 2>err; echo $? $(wc -l <err); head -c 60 err; rm -rf err abcdefghi; exit 5
// profrt: variant no-descriptors
// profrt: no-profile
// profrt: run=5 main nofd
// profrt: official rm default.profraw
// profrt: variant dev-full
// profrt: no-profile
// profrt: clang 18..
// profrt: run=5 mknod full c 1 7 2>/dev/null || ln -s /dev/full full; LLVM_PROFILE_FILE=full main
// profrt: variant dev-full-silent
// profrt: no-profile
// profrt: clang ..17
// profrt: differs stderr: releases up to 17 do not say that the disk is full; COMPATIBILITY: write errors
// profrt: run=5 mknod full c 1 7 2>/dev/null || ln -s /dev/full full; LLVM_PROFILE_FILE=full main
// profrt: ours LLVM_PROFILE_FILE=full main 2>err; test $(wc -l <err) = 1 && grep -q '"full": No space left on device' err && rm err
// profrt: variant file-size-limit
// profrt: no-profile
// profrt: official main fsize; test $? = 153 && rm default.profraw
// profrt: ours main fsize 2>err; test $? = 5 && test $(wc -l <err) = 1 && grep -q 'default.profraw": File too large' err && rm err
// profrt: ours main fsize-ignored 2>err; test $? = 5 && grep -q 'default.profraw": File too large' err && rm err
// profrt: variant append-disk-full
// The profiles that the file has stay readable.
// profrt: no-profile
// profrt: only-ours: LLVM's runtime leaves a part of the profile
// profrt: needs root mount: a file system of 8 KiB
// profrt: run mkdir p && mount -t tmpfs -o size=8k none p || exit 1; export __LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=p/a; main; head -c 1M /dev/zero >p/x 2>/dev/null; for i in $(seq 40); do cp p/a old; main 2>err; test -s err && break; done; test $(wc -l <err) = 1 && grep -q '"p/a": No space left on device' err && test $(stat -c %s old) -gt 1000 && cmp p/a old; code=$?; umount p; rm -r p old err; exit $code
// profrt: variant directory-is-gone
// profrt: no-profile
// profrt: run=5 mkdir d; cd d; rmdir ../d; main
// profrt: variant too-many-links
// profrt: no-profile
// profrt: run=5 ln -s b a; ln -s a b; LLVM_PROFILE_FILE=a main
// profrt: variant closed-stderr
// profrt: no-profile
// profrt: run=5 LLVM_PROFILE_FILE=/proc/nope/x.profraw main 2>&-
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  struct rlimit limit = {3, 3};
  if (!strcmp(how, "nofd"))
    setrlimit(RLIMIT_NOFILE, &limit);
  if (!strcmp(how, "fsize-ignored"))
    signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = limit.rlim_max = 100;
  if (!strncmp(how, "fsize", 5))
    setrlimit(RLIMIT_FSIZE, &limit);
  return 5;
}
