int apply(int (*f)(int), int x);
int twice(int x);
int square(int x);
int fill(int size);
