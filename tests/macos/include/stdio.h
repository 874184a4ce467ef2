// What the programs need of the C library, in the form that macOS and Linux share.
#pragma once
#include <stddef.h>
typedef struct file FILE;
#ifdef __APPLE__
extern FILE *__stdoutp, *__stderrp;
#define stdout __stdoutp
#define stderr __stderrp
#else
extern FILE *stdout, *stderr;
#endif
int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *, const char *, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *, size_t, const char *, ...) __attribute__((format(printf, 3, 4)));
int puts(const char *);
int putchar(int);
int fflush(FILE *);
#define _IONBF 2
int setvbuf(FILE *, char *, int, size_t);
long ftell(FILE *);
FILE *fopen(const char *, const char *);
int fclose(FILE *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
