int main(void) {
  volatile int sum = 0;
  for (int i = 0; i < 1000000; i++)
    if (i % 3)
      sum += i;
  return 0;
}
