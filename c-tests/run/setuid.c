// A set-uid program does not write where its caller's environment says.
// profrt: needs root: a set-uid program of another owner
// profrt: flags -fprofile-instr-generate
// profrt: differs files, profile: the environment is ignored in a set-uid process; CHANGELOG: set-uid
// profrt: run chmod 777 .; chown 65534 $BIN/main; chmod u+s $BIN/main; LLVM_PROFILE_FILE=evil.profraw $BIN/main; chmod 755 .
// profrt: official test -e evil.profraw
// profrt: ours test -e default.profraw && test ! -e evil.profraw
#include <unistd.h>

int main(void) { return getuid() == geteuid(); }
