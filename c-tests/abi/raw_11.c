// Raw version 11, which no packaged compiler emits: records by hand, with everything that the version has on a CPU.
// profrt: clang 22..
// profrt: raw 11
// profrt: unreadable
// profrt: flags -fno-pie
// profrt: lflags -no-pie
// profrt: program main main.o -fprofile-instr-generate -Wl,--build-id=none
// profrt: run main > out.profraw
// profrt: variant counters
// profrt: variant bitmaps
// profrt: cflags -DBITMAPS=16
// profrt: variant odd-bitmaps
// profrt: cflags -DBITMAPS=13
// profrt: variant vtables
// profrt: cflags -DVTABLES -DVTABLE_NAMES=16
// profrt: variant odd-vtables
// profrt: differs profile: the size counts the padding after the vtable names; COMPATIBILITY: buffer size
// profrt: cflags -DVTABLES -DVTABLE_NAMES=11
// profrt: variant everything
// profrt: cflags -DVTABLES -DVTABLE_NAMES=24 -DBITMAPS=3
// profrt: variant bytes
// profrt: cflags -DBYTES
// profrt: variant build-id
// profrt: differs header, sections: the other side is built for bare metal and knows no build ids; COMPATIBILITY: raw 11
// profrt: lflags -Wl,--build-id=0x00112233445566778899
#include <stdint.h>
#include <unistd.h>

int __llvm_profile_runtime;
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);

// The oracle asks for these when it allocates; nothing here makes it.
__attribute__((weak)) void *minicov_alloc_zeroed(unsigned long size, unsigned long align) { return (void *)(size * align * 0); }
__attribute__((weak)) void minicov_dealloc(void *p, unsigned long size, unsigned long align) { (void)p, (void)size, (void)align; }

#ifdef BYTES
uint64_t __llvm_profile_raw_version = 11 | (uint64_t)1 << 60 | (uint64_t)1 << 56;
#define COUNTER ".byte"
#else
#define COUNTER ".quad"
#endif
#ifndef BITMAPS
#define BITMAPS 0
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

// name, hash, counters, uniform counters, bitmap, function, values; numbers: counters, 3 kinds of sites, wave, bitmap bytes
#define RECORD(id, name, counters, bits)                                                                               \
  __asm__(".section __llvm_prf_cnts,\"aw\",@progbits\n"                                                                \
          "counters_" #id ":\n .rept " #counters "\n " COUNTER " " #id "\n .endr\n"                                    \
          ".section __llvm_prf_data,\"aw\",@progbits\n .p2align 3\n"                                                   \
          "record_" #id ":\n .quad " #name "\n .quad 0x1234500" #id "\n"                                               \
          " .quad counters_" #id " - record_" #id "\n .quad 0\n"                                                       \
          " .quad " bits "\n .quad main\n .quad 0\n .long " #counters "\n .short 0, 0, 0, 0\n"                         \
          " .long " TEXT(BITMAPS) " * (2 - " #id ")\n")

#if BITMAPS
__asm__(".section __llvm_prf_bits,\"aw\",@progbits\nbitmap_1: .fill " TEXT(BITMAPS) ", 1, 0x5a\n");
RECORD(1, 0x0102030405060708, 3, "bitmap_1 - record_1");
#else
RECORD(1, 0x0102030405060708, 3, "0");
#endif
RECORD(2, 0x1112131415161718, 5, "0");

#ifdef VTABLES
__asm__(".section __llvm_prf_vtab,\"aw\",@progbits\n .quad 0xabcdef\n .quad main\n .long 40\n .long 0\n"
        ".section __llvm_prf_vns,\"a\",@progbits\n .fill " TEXT(VTABLE_NAMES) ", 1, 0x41\n");
#endif
__asm__(".section __llvm_prf_names,\"a\",@progbits\n .byte 9, 0\n .ascii \"one\\001three\"\n .text\n");

static char buffer[4096];

int main(void) {
  uint64_t size = __llvm_profile_get_size_for_buffer();
  if (size > sizeof buffer || __llvm_profile_write_buffer(buffer))
    return 1;
  return write(1, buffer, size) != (long)size;
}
