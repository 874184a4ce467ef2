struct S {
  friend int view(S) { return 1; }  //= 0
};
int main() { return 0; }
