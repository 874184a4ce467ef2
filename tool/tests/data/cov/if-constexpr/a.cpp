template <class T> int h(T t) {  //= 3
  int r = 0;                     //= 3
  if constexpr (sizeof(T) == 4) { //= 3
    r = 1;                       //= 0
  } else {                       //= 3
    r = 2;                       //= 3
  }                              //= ?
  return r;                      //= 3
}                                //= 3
template <class T> int k(T t) {  //= 2
  if constexpr (sizeof(T) == 4) { //= 2
    return 1;                    //= 2
  } else {                       //= ?
    return 2;                    //= 0
  }                              //= ?
}                                //= ?
int main(int c, char **v) {      //= 1
  for (int i = 0; i < 3; i++)    //= 4
    h('c');                      //= 3
  if (c > 5)                     //= 1
    h(c), k('c');                //= 0
  k(1), k(1);                    //= 1
  return 0;                      //= 1
}                                //= 1
