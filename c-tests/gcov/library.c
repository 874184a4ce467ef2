int library(int n) {
  if (n)
    return 2;
  return 3;
}
