#include <stdatomic.h>
int main(void) {                   //= 1
  atomic_int n = 4;                //= 1
  int v = atomic_load(&n);         //= 1
  int a = v + 1;                   //= 1
  for (int i = 0; i < a; ++i) {    //= 6
    if (i % 2 == 0)                //= 5
      atomic_fetch_add(&n, i);     //= ?
  }                                //= 5
  int w = atomic_load(&n);         //= 1
  return w - 10;                   //= 1
}                                  //= 1
