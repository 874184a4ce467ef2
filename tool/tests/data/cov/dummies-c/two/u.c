static inline int pick(int x) {                  //= 0
  return x - 1;                                  //= 0
}                                                //= 0
int main(void) { return 0; }
