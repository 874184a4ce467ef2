// What the programs of this directory do, by their arguments.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
int library(int) __attribute__((weak));
