// The system refuses a call while a merge writes: a message with path and reason, the exit code of the program, the old profile
// as it was, nothing left behind; or the merge finds another way.
// profrt: needs strace: makes system calls fail
// profrt: no-profile
// profrt: flags -fprofile-instr-generate -w -fno-pie
// profrt: variant calls
// profrt: clang 19..
// profrt: lflags -no-pie
// profrt: ours $SRC/refused.sh main
// profrt: variant calls-static-values
// profrt: clang ..14
// profrt: cflags -fno-profile-instr-generate -fprofile-generate
// profrt: lflags -static
// profrt: ours $SRC/refused.sh main
// profrt: variant calls-named-files
// profrt: clang 22..
// profrt: cflags -DNAMED
// profrt: lflags -static
// profrt: ours $SRC/refused.sh main
// profrt: variant calls-streamed
// Counters are read while the sum is written.
// profrt: clang 22..
// profrt: cflags -DBIG=70000
// profrt: lflags -static
// profrt: ours $SRC/refused.sh main
// profrt: variant short-writes
// profrt: clang 22..
// profrt: cflags -DSHORT
// profrt: lflags -static
// profrt: ours for i in 1 2 3; do LLVM_PROFILE_FILE=p/%m.profraw main; done; $SRC/count.sh p/* main 3 && rm -r p
// profrt: variant size-limit
// profrt: lflags -no-pie
// profrt: ours $SRC/intact.sh 'File too large' '(ulimit -f 0; main)'
// profrt: official export LLVM_PROFILE_FILE=p/%m.profraw; main; main; test $? = 7 && (ulimit -f 0; main); test $? != 7 && rm -rf p
// profrt: ours export LLVM_PROFILE_FILE=p/%m.profraw; main; for i in 1 2; do (ulimit -f 0; main 2> err); test $? = 7 || exit 1; done; test ! -s err && rm -r p err  # the message has no room either
// profrt: variant read-only-directory
// profrt: needs root setpriv: runs it as somebody who may not write
// profrt: lflags -no-pie
// profrt: ours $SRC/intact.sh 'Permission denied' 'chmod 777 . && chmod 555 p && setpriv --reuid 65534 --regid 65534 --clear-groups main'
// profrt: variant disk-full
// profrt: needs root mount: a file system of 8 KiB
// profrt: lflags -no-pie
// profrt: ours mkdir p && mount -t tmpfs -o size=8k none p || exit 1; code=0; $SRC/intact.sh 'No space left on device' 'head -c 1M /dev/zero > p/x 2> /dev/null; main; code=$?; rm -f p/x; (exit $code)' || code=1; umount p; rm -rf p; exit $code
#include "interposed.h"
#ifdef BIG
#include "big.h"
#endif

__attribute__((noinline)) static int one(int x) { return x + 1; }
static int (*volatile function)(int) = one;
int main(int argc, char **argv) { return function(argc) + 5; }
