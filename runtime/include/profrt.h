/* profrt.h - calls of profrt that LLVM's profile runtime does not have. For C and C++, hosted or not.
 *
 * Functions that return an int say 0, or -1 for failures, unless they say something else. */
#ifndef PROFRT_H
#define PROFRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes `len` bytes: 0 when it has, another number when it cannot and the dump shall end. */
typedef int (*profrt_write_fn)(void *context, const void *bytes, size_t len);

/* For start-up code of systems that do not load the ELF file's sections: gives counters, bitmaps and value sites their initial
 * values. Call it once, before the first instrumented function. Only in the archives for devices. */
void profrt_start(void);

/* Answers of profrt_check. */
enum {
  PROFRT_READY = 0,
  /* There are no counters: nothing was compiled with instrumentation, or the linker script has dropped them. */
  PROFRT_NO_COUNTERS = 1,
  /* Compiler and runtime do not belong together: the records are of another raw version. */
  PROFRT_WRONG_VERSION = 2,
  /* Counters hold numbers that no counting has made: the start-up code has not initialised them. */
  PROFRT_NOT_INITIALISED = 3,
  /* Byte counters were zeroed, which says "all covered"; their initial value, 0xFF, has to be copied. */
  PROFRT_ZEROED = 4
};

/* Whether everything is in place. Call it early: counters that have counted long look like random ones. */
int profrt_check(void);

/* The raw profile, values included, for llvm-profdata. */
int profrt_dump_callback(profrt_write_fn write, void *context);
/* Bytes written, 0 for failures: all of the profile, or nothing. */
size_t profrt_dump_buffer(void *buffer, size_t capacity);
/* Writes the raw profile into `size` bytes, with as many values as fit, and returns how many bytes it has written. What is written is
 * always a complete profile, which llvm-profdata reads. `needed`, unless it is null, becomes the number of bytes that the profile takes
 * with all values at this moment: larger than the result when values were left out. The result is 0 when not even the profile without
 * values fits, and when the profile cannot be written at all; `*needed` is 0 only in the second case. A null buffer has a size of 0. So a call with a size of 0 asks
 * for the size. Unlike __llvm_profile_get_size_for_buffer, whose first answer holds for the life of the process, this call always
 * knows the values that were counted last. */
size_t profrt_write_buffer(void *buffer, size_t size, size_t *needed);
/* As lines of text among the program's own output, for `profrt receive`. `from`: data before this offset is left out; 0 sends
 * everything. A receiver that has missed lines asks for them by that offset. */
int profrt_dump_frame(profrt_write_fn write, void *context, uint32_t from);

/* Counters, bitmaps and values only, in few bytes: `profrt rebuild --elf FIRMWARE.elf` makes a raw profile of them. */
int profrt_dump_counters_callback(profrt_write_fn write, void *context);
size_t profrt_dump_counters_buffer(void *buffer, size_t capacity);
int profrt_dump_counters_frame(profrt_write_fn write, void *context, uint32_t from);

#if defined(__arm__) || defined(__aarch64__) || defined(__riscv)
/* To a file of the host, by semihosting: a debugger or an emulator must be listening. */
int profrt_dump_semihosting(const char *path);
int profrt_dump_counters_semihosting(const char *path);
#endif

/* Values that were not counted because there was no node for them. */
uint64_t profrt_values_dropped(void);

#ifdef __cplusplus
}
#endif
#endif
