/* The subject on this machine, for the numbers to compare with. */
#include "subject.h"

int main(void) { return subject(ROUNDS) == 0; }
