/* The same dump again and again. */
#define FOR_EVER
#include "frames.c"
