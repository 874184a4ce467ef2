#include <sys.h>
static int one(int x, int s) {   //= 3
  return x &&                    //= 3
         IS_LOW(s);              //= 1
}                                //= 3
static int other(int x, int s) { //= 3
  if (x > 1 && x > 2 &&          //= 3
      LOW(s))                    //= 0
    return 2;                    //= 0
  if (x)                         //= 3
    return LOW(s);               //= 1
  return 3;                      //= 2
}                                //= ?
int main(void) {                 //= 1
  for (int i = 0; i < 3; i++)    //= 4
    one(i == 1, i), other(i == 1, i); //= 3
  return 0;                      //= 1
}                                //= 1
