#define ROUNDS 100
int subject(int rounds);
