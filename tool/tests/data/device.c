// What is compiled for machines that are not here: a site with an indirect call, and branches.
int leaf(int n) { return n > 3 ? n : 3 - n; }
int (*volatile target)(int) = leaf;
int device(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i & 1 ? target(i) : 1;
  return sum;
}
