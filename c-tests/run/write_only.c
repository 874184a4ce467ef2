// A file that may be written and not read, or only be appended to, in a directory where nothing can be created: the last way is LLVM's, which
// writes into it.
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: clang 22..
// profrt: needs root setpriv: runs as an ordinary user
// profrt: variant write-only
// profrt: run mkdir d && touch d/x.profraw && chmod 222 d/x.profraw && chmod 755 . d; LLVM_PROFILE_FILE=$PWD/d/x.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main 2>told; test $? = 7 && test ! -s told && bash $SRC/counts.sh work=1 d/x.profraw && test "$(ls -A d)" = x.profraw && rm -r d told
// profrt: variant write-only-old
// What an earlier run has left in it goes.
// profrt: run mkdir d && (LLVM_PROFILE_FILE=d/x.profraw main; true) && chmod 222 d/x.profraw && chmod 755 . d; LLVM_PROFILE_FILE=$PWD/d/x.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main 2>told; test $? = 7 && test ! -s told && bash $SRC/counts.sh work=1 d/x.profraw && rm -r d told
// profrt: variant write-only-child
// profrt: run mkdir d && (LLVM_PROFILE_FILE=d/x.profraw main; true) && chmod 222 d/x.profraw && chmod 755 . d; __LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=$PWD/d/x.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main 2>told; test $? = 7 && test ! -s told && bash $SRC/counts.sh work=2 d/x.profraw && rm -r d told
// profrt: variant append-only
// Some file systems have no such attribute.
// profrt: run mkdir d && touch d/x.profraw && chmod 666 d/x.profraw && chmod 755 . d; chattr +a d/x.profraw 2>/dev/null || { rm -r d; exit 0; }; for i in 1 2; do LLVM_PROFILE_FILE=$PWD/d/x.profraw setpriv --reuid=65534 --regid=65534 --clear-groups main 2>told; test $? = 7 && test ! -s told || failed=1; done; chattr -a d/x.profraw; test -z "$failed" && bash $SRC/counts.sh work=2 d/x.profraw && rm -r d told
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

int main(void) {
  work();
  return 7;
}
