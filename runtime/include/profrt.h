/* profrt.h - calls of profrt that LLVM's profile runtime does not have. For C and C++, hosted or not.
 *
 * Functions that can fail return an int: PROFRT_OK, which is 0, or the reason of the failure. */
#ifndef PROFRT_H
#define PROFRT_H

#include <stddef.h>
#include <stdint.h>

/* The version of profrt: major * 10000 + minor * 100 + patch. */
#define PROFRT_VERSION 100

#ifdef __cplusplus
extern "C" {
#endif

/* Results. */
enum {
  PROFRT_OK = 0,
  /* There are no counters: nothing was compiled with instrumentation, or the linker script has dropped them. */
  PROFRT_NO_COUNTERS = 1,
  /* Compiler and runtime do not belong together: the records are of another raw version. */
  PROFRT_WRONG_VERSION = 2,
  /* Counters hold numbers that no counting has made: the start-up code has not initialized them. */
  PROFRT_NOT_INITIALIZED = 3,
  /* Byte counters were zeroed, which says "all covered"; their initial value, 0xFF, has to be copied. */
  PROFRT_ZEROED = 4,
  /* Records and names are in the ELF file only: dump counters instead (profrt_dump_counters_...). */
  PROFRT_NOT_LOADED = 5,
  /* The program's function, or the host of semihosting, has refused the bytes. */
  PROFRT_SINK = 6,
  /* The buffer is too small. */
  PROFRT_FULL = 7,
  /* Another core changed values during the dump: dump again. */
  PROFRT_BUSY = 8,
  /* The sections do not fit together, or the dump is larger than 4 GiB. */
  PROFRT_UNFIT = 9
};

/* Takes `len` bytes. Returns 0, or another number to end the dump, which then returns PROFRT_SINK. */
typedef int (*profrt_write_fn)(void *context, const void *bytes, size_t len);

/* For start-up code of systems that do not load the ELF file's sections: gives counters, bitmaps and value sites their initial
 * values. Call it once, before the first instrumented function. Only in the archives for devices. */
void profrt_start(void);

/* Checks whether a profile can be written. Returns PROFRT_OK to PROFRT_ZEROED. Call it early: counters that have counted long look like
 * random ones. */
int profrt_check(void);

/* Pass the raw profile, values included, to a function, piece by piece. */
int profrt_dump_callback(profrt_write_fn write, void *context);
/* Writes the raw profile with all values into `size` bytes. `*written`, unless `written` is null, becomes the number of bytes of the profile, or
 * 0 for failures: PROFRT_FULL when it does not fit. A null buffer has a size of 0. */
int profrt_dump_buffer(void *buffer, size_t size, size_t *written);
/* Writes the raw profile into `size` bytes, with as many values as fit. What is written is always a complete profile, which llvm-profdata
 * reads. `*written` becomes the number of bytes written, `*needed` the number of bytes that the profile takes with all values at this moment:
 * larger than `*written` when values were left out. Both may be null. Returns PROFRT_FULL when not even the profile without values fits; so a
 * call with a size of 0 asks for the size. For other failures both are 0. A null buffer has a size of 0. Unlike
 * __llvm_profile_get_size_for_buffer, whose first answer holds for the life of the process, this call always knows the values that were
 * counted last. */
int profrt_write_buffer(void *buffer, size_t size, size_t *written, size_t *needed);
/* Passes the raw profile to a function as lines of text among the program's own output, for `profrt device receive`. `from`: data before this
 * offset is left out; 0 sends everything. A receiver that has missed lines asks for them by that offset. */
int profrt_dump_frame(profrt_write_fn write, void *context, uint32_t from);

/* The same with counters, bitmaps and values only, in few bytes: `profrt device rebuild --object FIRMWARE.elf` makes a raw profile of them. */
int profrt_dump_counters_callback(profrt_write_fn write, void *context);
int profrt_dump_counters_buffer(void *buffer, size_t size, size_t *written);
int profrt_dump_counters_frame(profrt_write_fn write, void *context, uint32_t from);
/* Stores the number of bytes that profrt_dump_counters_buffer needs now. Counting can make it larger. */
int profrt_counters_size(size_t *size);

#if defined(__arm__) || defined(__aarch64__) || defined(__riscv)
/* To a file of the host, by semihosting: a debugger or an emulator must be listening. */
int profrt_dump_semihosting(const char *path);
int profrt_dump_counters_semihosting(const char *path);
#endif

/* Returns how many values were not counted because there was no node for them. */
uint64_t profrt_values_dropped(void);

#ifdef __cplusplus
}
#endif
#endif
