struct S {};

int view(S) {                       //= 1
  return 2;                         //= 1
}                                   //= 1
int main() { return view(S()) - 2; }
