// Another program than those it stands beside.
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    puts("with arguments");
  return 0;
}
