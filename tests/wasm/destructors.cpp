// What runs when the program exits counts, too.
struct Counted {
  ~Counted() {
    for (int i = 0; i < 7; i++)
      asm volatile("");
  }
};
static Counted counted;
int main() { return 0; }
