// The public calls, as a small language: each argument is one call. What a call gives back is printed.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: variant get-names
// profrt: run main name prefix; LLVM_PROFILE_FILE=some/dir/p%p.profraw main name prefix
// profrt: variant set-filename
// profrt: run main set=other.profraw name prefix
// profrt: official rm default.profraw
// profrt: variant set-filename-over-env
// profrt: run LLVM_PROFILE_FILE=env.profraw main set=other.profraw name
// profrt: official rm env.profraw
// profrt: variant set-filename-pattern
// profrt: run main set=x%p-%h.profraw name
// profrt: official rm default.profraw
// profrt: variant set-filename-null
// profrt: run main set=other.profraw setnull name prefix; LLVM_PROFILE_FILE=env.profraw main setnull name
// profrt: official rm env.profraw
// profrt: variant set-filename-empty
// profrt: run main set= name
// profrt: no-profile
// profrt: official rm default.profraw
// profrt: variant set-filename-in-old-directory
// profrt: run mkdir d; main set=d/x.profraw name prefix
// profrt: official rm default.profraw
// profrt: variant set-filename-in-new-directory
// profrt: differs stderr, files, profile: the directories of a name set by a call are made too; COMPATIBILITY: directories
// profrt: no-profile official
// profrt: run main set=d/e/x.profraw
// profrt: official rm default.profraw
// profrt: ours test -s d/e/x.profraw
// profrt: variant write
// profrt: run main write name
// profrt: differs profile: a second write of one run counts what the first left out, not all again; COMPATIBILITY: write_file
// profrt: ours $PROFDATA show --counts --function=work default.profraw > show && ! grep -E 'counters: \[?([2-9]|[1-9][0-9])' show && rm show
// profrt: variant write-elsewhere
// profrt: run main work set=a.profraw write set=b.profraw
// profrt: skip profile: what a second write holds is not decided by the official archive
// profrt: official rm default.profraw
// profrt: variant dump
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work dump
// profrt: variant dump-verbose
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run LLVM_PROFILE_VERBOSE=1 main work dump
// profrt: ours mkdir t; cd t; LLVM_PROFILE_VERBOSE=1 main work dump 2>&1 | grep -q 'LLVM Profile Note: Profile data not written to file: already written.' && rm -r ../t
// profrt: variant dump-twice
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work dump dump work
// profrt: variant dump-then-write
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work dump write
// profrt: variant dump-names
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work set=a.profraw dump set=b.profraw reset work work
// profrt: official rm default.profraw
// profrt: variant dump-reset-dump
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work dump reset work work dump
// profrt: variant set-dumped
// profrt: differs stderr: nothing can be clobbered, and that nothing is written twice is a note; COMPATIBILITY: dump
// profrt: run main work dumped
// profrt: no-profile
// profrt: official rm default.profraw
// profrt: variant reset
// profrt: run main work work reset work
// profrt: variant register-twice
// profrt: run main register register work
// profrt: variant initialize-twice
// profrt: run LLVM_PROFILE_FILE=x.profraw main init init name work
// profrt: variant initialize-other
// profrt: run main initialize name work
// profrt: variant setenv-is-late
// profrt: run main env=late.profraw name work
// profrt: variant setenv-initialize
// profrt: run main env=late.profraw init name work
// profrt: official rm default.profraw
// profrt: variant chdir
// profrt: run mkdir sub; main chdir=sub work
// profrt: official rm default.profraw
// profrt: variant chdir-absolute
// profrt: run mkdir sub; LLVM_PROFILE_FILE=$PWD/abs.profraw main chdir=sub work
// profrt: variant removed
// profrt: run main work unlink=default.profraw
// profrt: variant removed-directory
// profrt: differs stderr, files, profile: a directory that is gone at exit is made again; COMPATIBILITY: directories
// profrt: no-profile official
// profrt: run LLVM_PROFILE_FILE=gone/x.profraw main rmdir=gone
// profrt: ours test -s gone/x.profraw
// profrt: variant umask
// profrt: run umask 077; LLVM_PROFILE_FILE=private/x.profraw main; umask 0; LLVM_PROFILE_FILE=open/x.profraw main
// profrt: variant umask-later
// profrt: run main umask=007
// profrt: skip files: the official archive makes the file at the start, ours at the end, with the mask of that time
// profrt: ours test "$(stat -c %a default.profraw)" = 660
// profrt: variant dir-mode
// profrt: run main dirmode=700 dirmode? mkdir=x/y/z mkdir=q
// profrt: variant marker
// profrt: run main system=env | grep -v -E '^(PWD|SHLVL|_|OLDPWD|LD_LIBRARY_PATH|PATH|BIN|RESOURCES)=' | sed 's/^\(__LLVM_PROFILE_RT_INIT_ONCE\)=.*/\1/'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __llvm_profile_write_file(void), __llvm_profile_dump(void), __llvm_profile_register_write_file_atexit(void);
void __llvm_profile_set_filename(const char *), __llvm_profile_reset_counters(void), __llvm_profile_set_dumped(void);
void __llvm_profile_initialize_file(void), __llvm_profile_initialize(void);
const char *__llvm_profile_get_filename(void), *__llvm_profile_get_path_prefix(void);
void __llvm_profile_set_dir_mode(unsigned), __llvm_profile_recursive_mkdir(char *);
unsigned __llvm_profile_get_dir_mode(void);

__attribute__((noinline)) int work(int x) { return x > 0 ? x : 1; }

static int is(const char *arg, const char *name, const char **rest) {
  size_t n = strlen(name);
  *rest = arg + n;
  return !strncmp(arg, name, n) && (name[n - 1] == '=' || !arg[n]);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *rest;
    if (is(arg, "name", &rest)) printf("name %s\n", __llvm_profile_get_filename());
    else if (is(arg, "prefix", &rest)) printf("prefix '%s'\n", __llvm_profile_get_path_prefix());
    else if (is(arg, "set=", &rest)) __llvm_profile_set_filename(rest);
    else if (is(arg, "setnull", &rest)) __llvm_profile_set_filename(0);
    else if (is(arg, "write", &rest)) printf("write %d\n", __llvm_profile_write_file());
    else if (is(arg, "dump", &rest)) printf("dump %d\n", __llvm_profile_dump());
    else if (is(arg, "dumped", &rest)) __llvm_profile_set_dumped();
    else if (is(arg, "reset", &rest)) __llvm_profile_reset_counters();
    else if (is(arg, "register", &rest)) printf("register %d\n", __llvm_profile_register_write_file_atexit());
    else if (is(arg, "init", &rest)) __llvm_profile_initialize_file();
    else if (is(arg, "initialize", &rest)) __llvm_profile_initialize();
    else if (is(arg, "work", &rest)) work(i);
    else if (is(arg, "env=", &rest)) setenv("LLVM_PROFILE_FILE", rest, 1);
    else if (is(arg, "chdir=", &rest)) printf("chdir %d\n", chdir(rest));
    else if (is(arg, "unlink=", &rest)) unlink(rest);
    else if (is(arg, "rmdir=", &rest)) {
      char line[100];
      snprintf(line, sizeof line, "rm -rf %s", rest);
      system(line);
    } else if (is(arg, "umask=", &rest)) umask((mode_t)strtol(rest, 0, 8));
    else if (is(arg, "dirmode=", &rest)) __llvm_profile_set_dir_mode((unsigned)strtol(rest, 0, 8));
    else if (is(arg, "dirmode?", &rest)) printf("mode %o\n", __llvm_profile_get_dir_mode());
    else if (is(arg, "mkdir=", &rest)) __llvm_profile_recursive_mkdir(strdup(rest));
    else if (is(arg, "system=", &rest)) system(rest);
    else printf("%s: no such call\n", arg);
    fflush(stdout);
  }
  return 0;
}
