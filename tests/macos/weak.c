// Refers to the runtime weakly.
__attribute__((weak)) void __llvm_profile_reset_counters(void);
int main(int argc, char **argv) {
  if (__llvm_profile_reset_counters && argc > 2)
    __llvm_profile_reset_counters();
  return argc > 1 && argv[1];
}
