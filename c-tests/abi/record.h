// The compiler's record of a function, and a value node, in the raw versions that clang 14 to 22 emit.
#include <stdint.h>

#if __clang_major__ < 19
#define KINDS 2
#else
#define KINDS 3
#endif
typedef struct { uint64_t Value, Count; } Pair;
typedef struct Node { uint64_t Value, Count; struct Node *Next; } Node;
typedef struct {
  uint64_t NameRef, FuncHash;
  intptr_t CounterPtr;
#if KINDS > 2
  intptr_t BitmapPtr;
#endif
  void *FunctionPointer;
  Node **Values;
  uint32_t NumCounters;
  uint16_t NumValueSites[KINDS];
#if KINDS > 2
  uint32_t NumBitmapBytes;
#endif
} Record;

#define HIDE __attribute__((no_profile_instrument_function))
