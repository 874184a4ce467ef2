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
// profrt: variant empty-verbose
// profrt: run LLVM_PROFILE_VERBOSE= main 2>&1
// profrt: variant empty-others
// An empty variable is as one that is not set.
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE= PROFRT_MAX_VALUE_NODES= LLVM_PROFILE_FORK= LLVM_PROFILE_DUMP_SIGNALS= main
// profrt: variant pid
// profrt: run LLVM_PROFILE_FILE=p%p-%p.profraw main; LLVM_PROFILE_FILE=p%p-%p.profraw main
// profrt: variant host
// profrt: run LLVM_PROFILE_FILE=h%h.profraw main
// profrt: variant tmpdir
// profrt: run mkdir t; TMPDIR=$PWD/t LLVM_PROFILE_FILE=%tx.profraw main
// profrt: variant tmpdir-unset
// profrt: differs stderr: the warning ends its line; COMPATIBILITY: messages
// profrt: run LLVM_PROFILE_FILE=%tx.profraw main
// profrt: variant tmpdir-empty
// LLVM takes an empty one for the root directory.
// profrt: differs stderr, files, profile: an empty one is as one that is not set; COMPATIBILITY: TMPDIR
// profrt: run TMPDIR= LLVM_PROFILE_FILE=%t${PWD#/}/x.profraw main
// profrt: ours test -s default.profraw
// profrt: official test -s x.profraw
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
// profrt: differs stderr: the warning ends its line; COMPATIBILITY: messages
// profrt: clang 22..
// profrt: lflags -Wl,--build-id=none
// profrt: run LLVM_PROFILE_FILE=b%b.profraw main
// profrt: variant build-id-unknown
// profrt: differs files, profile: %b is known to the archive of each raw version; COMPATIBILITY: %b
// profrt: clang ..19
// profrt: run LLVM_PROFILE_FILE=b%b.profraw main
// Pools: any number of digits, modulo 2^32, and none is one.
// profrt: variant pool-of-none
// profrt: run for n in 0 00 01 4294967296 4294967297 18446744073709551617; do LLVM_PROFILE_FILE=n$n-%${n}m.profraw main || exit; ls n$n-*_0.profraw | sed 's/-.*_/ /'; rm n$n-*; done
// profrt: no-profile
// profrt: variant pool
// profrt: run for n in 10 010 37 256; do (echo $BASHPID >pid; LLVM_PROFILE_FILE=n-%${n}m.profraw exec main); ls n-*_$(($(cat pid) % 10#$n)).profraw >/dev/null || exit; rm n-* pid; done
// profrt: no-profile
// profrt: variant pool-twice
// profrt: run LLVM_PROFILE_FILE=%10m%0m.profraw main
// profrt: variant digits
// profrt: run for n in %10 %10x %10p %0x %1c %+3m %-3m '% m' %%m %p%12 %p%1 %p%0x %p%12p %p%0c %p%+3m 'p%% m' %h%1; do (echo $BASHPID >pid; LLVM_PROFILE_FILE="n-$n" exec main) || exit; for f in n-*; do echo "$n: $f" | sed "s/$(cat pid)/P/"; rm "$f" pid; done; done
// profrt: no-profile
// profrt: variant tmpdir-twice
// profrt: only-ours: LLVM's runtime writes beyond its buffer
// profrt: run TMPDIR=$PWD$(printf '/.%.0s' $(seq 900)) LLVM_PROFILE_FILE=%t%tx.profraw main; mv $(find . -name x.profraw) . && find . -mindepth 1 -type d -delete
int main(void) { return 0; }
