/* What the tests need of a device: to say something, and to end. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Called by the start-up code before counters have their initial values. */
void before_start(void);
void say(const char *text);
void say_number(const char *name, long number);
_Noreturn void stop(int code);

/* The serial line: a byte. */
void line(char byte);
void print(const char *text);

/* Bytes of stack below the caller that `work` uses. */
long stack_of(int (*work)(void *), void *context, int *result);

/* The raw profile, or the counters, into the files that the test reads. */
int dump_raw(void *);
int dump_counters(void *);

#endif
