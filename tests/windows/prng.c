// What Rust's standard library calls of Windows, and wine 8 does not have.
#include <windows.h>

#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T len) { return RtlGenRandom(to, len); }
