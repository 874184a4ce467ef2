__attribute__((weak, noinline)) int hook(void) {
  return 2;
}
int test(void) {                                   //= 1
  int n = 0;                                       //= 1
  for (int i = 0; i < 5; i++)                      //= 6
    n += hook();                                   //= 5
  return n;                                        //= 1
}                                                  //= 1
