struct S {};



inline int view(S) {                //= 0
  return 3;                         //= 0
}                                   //= 0
int main() { return 0; }
