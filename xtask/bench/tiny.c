// What `cargo xtask bench` measures start and exit with: nothing but what every process does.
int main(void) { return 0; }
