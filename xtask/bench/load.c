// What `cargo xtask bench` measures many shared objects with.
//
//     load DIRECTORY NUMBER [leave]     loads as many, and returns from main, or leaves without a profile
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  for (int i = 0; i < atoi(argv[2]); i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.so", argv[1], i);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*fill)(int) = object ? (void (*)(int))dlsym(object, "fill") : 0;
    if (!fill)
      return 3;
    fill(i);
  }
  if (argc > 3)
    _exit(0);
  return 0;
}
