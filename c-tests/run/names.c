// Where the profile goes: the variable, what was compiled in, the default; the specifiers of a pattern.
// profrt: flags -fprofile-instr-generate
// profrt: variant default
// profrt: run main
// profrt: variant env
// profrt: run LLVM_PROFILE_FILE=env.profraw main
// profrt: variant empty-env
// profrt: run LLVM_PROFILE_FILE= main
// profrt: variant compiled-in
// profrt: flags -fprofile-instr-generate=compiled.profraw
// profrt: run main
// profrt: variant env-over-compiled-in
// profrt: flags -fprofile-instr-generate=compiled.profraw
// profrt: run LLVM_PROFILE_FILE=env.profraw main
// profrt: variant empty-env-compiled-in
// profrt: flags -fprofile-instr-generate=compiled.profraw
// profrt: run LLVM_PROFILE_FILE= main
// profrt: variant pid
// profrt: run LLVM_PROFILE_FILE=p%p-%p.profraw main; LLVM_PROFILE_FILE=p%p-%p.profraw main
// profrt: variant host
// profrt: run LLVM_PROFILE_FILE=h%h.profraw main
// profrt: variant tmpdir
// profrt: run mkdir t; TMPDIR=$PWD/t LLVM_PROFILE_FILE=%tx.profraw main
// profrt: variant tmpdir-unset
// profrt: differs stderr: the warning ends its line; CHANGELOG: messages
// profrt: run LLVM_PROFILE_FILE=%tx.profraw main
// profrt: variant percent
// profrt: run LLVM_PROFILE_FILE=a%%b.profraw main
// profrt: variant unknown
// profrt: run LLVM_PROFILE_FILE=a%zb%qc.profraw main
// profrt: variant trailing
// profrt: run LLVM_PROFILE_FILE=a.profraw% main
// profrt: variant directories
// profrt: run umask 027; LLVM_PROFILE_FILE=one/two/three.profraw main
// profrt: variant directories-pid
// profrt: run LLVM_PROFILE_FILE=d%p/x.profraw main
// profrt: variant absolute
// profrt: run LLVM_PROFILE_FILE=$PWD/deep/er/x.profraw main
// profrt: variant build-id
// profrt: clang 22..
// profrt: lflags -Wl,--build-id=0x0123456789abcdef
// profrt: run LLVM_PROFILE_FILE=b%b.profraw main
// profrt: variant build-id-none
// profrt: differs stderr: the warning ends its line; CHANGELOG: messages
// profrt: clang 22..
// profrt: lflags -Wl,--build-id=none
// profrt: run LLVM_PROFILE_FILE=b%b.profraw main
// profrt: variant build-id-unknown
// profrt: differs files, profile: %b is known to the archive of each raw version; CHANGELOG: %b
// profrt: clang ..19
// profrt: run LLVM_PROFILE_FILE=b%b.profraw main
int main(void) { return 0; }
