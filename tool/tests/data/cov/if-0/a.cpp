static inline int unused(int x) { //= 0
  x++;                           //= 0

#if 0
  x += 2;                        //= -
#if X
  if (x) x--;                    //= -
#else
  don't look here                //= -
#endif
  x = 3;                         //= -
#else // not 0
  x = 4;                         //= 0
#endif
  return x;                      //= 0
}                                //= 0
constexpr bool never(bool d) {   //= 0
#if  0 // Not yet.
  return !d;                     //= -
#elif 1
  return d;                      //= 0
#endif
}                                //= 0
int main() {                     //= 1
#if 0
  dead("
#endif
  return 0;                      //= 1
}                                //= 1
