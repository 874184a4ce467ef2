// Weak references to the runtime's calls are resolved where LLVM's archive resolves them: they alone pull no member of an archive.
// profrt: cflags -Wno-unused
// profrt: not mapped all: names are printed, and who opts out has no continuous mode
// profrt: variant front-end
// profrt: flags -fprofile-instr-generate
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant ir
// profrt: flags -fprofile-generate -O2
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant coverage-gc-lld
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -ffunction-sections
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant gc-bfd
// profrt: flags -fprofile-instr-generate -O0
// profrt: lflags -fuse-ld=bfd -Wl,--gc-sections
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant gold
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=gold
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant no-pie
// profrt: flags -fprofile-instr-generate -fno-pie
// profrt: lflags -no-pie
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant lto
// profrt: flags -fprofile-instr-generate -flto
// profrt: lflags -fuse-ld=lld
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// profrt: variant shared-object
// profrt: flags -fprofile-instr-generate -fPIC
// profrt: object main.o -DMAIN_ONLY
// profrt: object lib.o -DLIBRARY_ONLY
// profrt: shared liblib.so lib.o
// profrt: program main main.o liblib.so
// profrt: run main; LLVM_PROFILE_FILE=leave.profraw main leave
// A program that opts out of the runtime has none of the calls; one that calls some has those that LLVM's archive keeps in the same
// objects.
// profrt: variant opt-out
// profrt: flags -fprofile-instr-generate -DOPT_OUT
// profrt: no-profile
// profrt: run main
// profrt: variant opt-out-buffer
// profrt: flags -fprofile-instr-generate -DOPT_OUT -DBUFFER_CALL
// profrt: no-profile
// profrt: run main
// profrt: variant opt-out-file
// profrt: flags -fprofile-instr-generate -DOPT_OUT -DFILE_CALL
// profrt: no-profile
// profrt: run main
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Calls that LLVM's archives of some releases have under each name; `__clang_major__` is that of the archive opposite.
#define EVERYWHERE(X)                                                                                                  \
  X(__llvm_get_function_addr)                                                                                          \
  X(__llvm_profile_begin_counters)                                                                                     \
  X(__llvm_profile_begin_data)                                                                                         \
  X(__llvm_profile_begin_names)                                                                                        \
  X(__llvm_profile_begin_vnodes)                                                                                       \
  X(__llvm_profile_check_compatibility)                                                                                \
  X(__llvm_profile_counter_entry_size)                                                                                 \
  X(__llvm_profile_dump)                                                                                               \
  X(__llvm_profile_enable_continuous_mode)                                                                             \
  X(__llvm_profile_end_counters)                                                                                       \
  X(__llvm_profile_end_data)                                                                                           \
  X(__llvm_profile_end_names)                                                                                          \
  X(__llvm_profile_end_vnodes)                                                                                         \
  X(__llvm_profile_get_counters_size)                                                                                  \
  X(__llvm_profile_get_data_size)                                                                                      \
  X(__llvm_profile_get_dir_mode)                                                                                       \
  X(__llvm_profile_get_filename)                                                                                       \
  X(__llvm_profile_get_magic)                                                                                          \
  X(__llvm_profile_get_num_counters)                                                                                   \
  X(__llvm_profile_get_num_data)                                                                                       \
  X(__llvm_profile_get_num_padding_bytes)                                                                              \
  X(__llvm_profile_get_padding_sizes_for_counters)                                                                     \
  X(__llvm_profile_get_path_prefix)                                                                                    \
  X(__llvm_profile_get_size_for_buffer)                                                                                \
  X(__llvm_profile_get_size_for_buffer_internal)                                                                       \
  X(__llvm_profile_get_version)                                                                                        \
  X(__llvm_profile_initialize)                                                                                         \
  X(__llvm_profile_initialize_file)                                                                                    \
  X(__llvm_profile_is_continuous_mode_enabled)                                                                         \
  X(__llvm_profile_iterate_data)                                                                                       \
  X(__llvm_profile_merge_from_buffer)                                                                                  \
  X(__llvm_profile_recursive_mkdir)                                                                                    \
  X(__llvm_profile_register_write_file_atexit)                                                                         \
  X(__llvm_profile_reset_counters)                                                                                     \
  X(__llvm_profile_set_dir_mode)                                                                                       \
  X(__llvm_profile_set_dumped)                                                                                         \
  X(__llvm_profile_set_file_object)                                                                                    \
  X(__llvm_profile_set_filename)                                                                                       \
  X(__llvm_profile_set_num_value_sites)                                                                                \
  X(__llvm_profile_set_page_size)                                                                                      \
  X(__llvm_profile_write_buffer)                                                                                       \
  X(__llvm_profile_write_buffer_internal)                                                                              \
  X(__llvm_profile_write_file)

#define FROM_19(X)                                                                                                     \
  X(__llvm_profile_begin_bitmap)                                                                                       \
  X(__llvm_profile_begin_vtables)                                                                                      \
  X(__llvm_profile_begin_vtabnames)                                                                                    \
  X(__llvm_profile_disable_continuous_mode)                                                                            \
  X(__llvm_profile_end_bitmap)                                                                                         \
  X(__llvm_profile_end_vtables)                                                                                        \
  X(__llvm_profile_end_vtabnames)                                                                                      \
  X(__llvm_profile_get_name_size)                                                                                      \
  X(__llvm_profile_get_num_bitmap_bytes)                                                                               \
  X(__llvm_profile_get_num_vtable)                                                                                     \
  X(__llvm_profile_get_vtable_section_size)                                                                            \
  X(__llvm_profile_set_timestamp)

#define UP_TO_19(X)                                                                                                    \
  X(__llvm_orderfile_dump)                                                                                             \
  X(__llvm_orderfile_write_file)                                                                                       \
  X(__llvm_profile_begin_orderfile)

#define FROM_22(X)                                                                                                     \
  X(__llvm_profile_begin_covinit)                                                                                      \
  X(__llvm_profile_end_covinit)                                                                                        \
  X(__llvm_write_custom_profile)

#if __clang_major__ >= 22
#define CALLS(X) EVERYWHERE(X) FROM_19(X) FROM_22(X)
#elif __clang_major__ >= 19
#define CALLS(X) EVERYWHERE(X) FROM_19(X) UP_TO_19(X)
#else
#define CALLS(X) EVERYWHERE(X) UP_TO_19(X)
#endif

void report(void);
int leave(void);

#ifndef MAIN_ONLY
// Strong references to the calls of their names only: the others stay weak.
#define WEAK __attribute__((weak))
#ifdef BUFFER_CALL
int (*volatile strong)(char *);
int write_strongly(char *) __asm__("__llvm_profile_write_buffer");
#define TAKE() strong = write_strongly
#elif defined FILE_CALL
int (*volatile strong)(void);
int write_strongly(void) __asm__("__llvm_profile_write_file");
#define TAKE() strong = write_strongly
#else
#define TAKE()
#endif
#ifdef OPT_OUT
int __llvm_profile_runtime;
#endif
#define DECLARE(name) extern WEAK char weak_##name __asm__(#name);
CALLS(DECLARE)
extern WEAK int weak_write(void) __asm__("__llvm_profile_write_file");

void report(void) {
  TAKE();
  const char *volatile address;
#define PRINT(name)                                                                                                    \
  address = &weak_##name;                                                                                              \
  printf("%s %s\n", address ? "there" : "null ", #name);
  CALLS(PRINT)
}

// The idiom of programs that end without their exit handlers.
int leave(void) {
  int (*volatile write)(void) = weak_write;
  return write ? write() : -1;
}
#endif

#ifndef LIBRARY_ONLY
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "leave"))
    _exit(leave());
  report();
  return 0;
}
#endif
