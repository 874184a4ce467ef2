// What LLVM's runtime asks of a platform, which it does not have for WebAssembly: section bounds, and what WASI lacks.
#include <stdint.h>
typedef struct { uint64_t value, count; void *next; } Node;
#define SECTION(function, section, type) \
  extern type __start_##section[] __attribute__((weak)), __stop_##section[] __attribute__((weak)); \
  type *__llvm_profile_begin_##function(void) { return __start_##section; } \
  type *__llvm_profile_end_##function(void) { return __stop_##section; }
SECTION(data, __llvm_prf_data, char)
SECTION(names, __llvm_prf_names, char)
SECTION(counters, __llvm_prf_cnts, char)
SECTION(bitmap, __llvm_prf_bits, char)
SECTION(vtables, __llvm_prf_vtab, char)
SECTION(vtabnames, __llvm_prf_vns, char)
SECTION(vnodes, __llvm_prf_vnds, Node)
Node *CurrentVNode = __start___llvm_prf_vnds, *EndVNode = __stop___llvm_prf_vnds;
int __llvm_write_binary_ids(void *writer) { return 0; }
int flock(int file, int how) { return 0; }
