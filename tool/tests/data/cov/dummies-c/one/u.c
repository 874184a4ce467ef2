static inline int pick(int x) { return x + 1; }  //= 0
int main(void) { return 0; }
