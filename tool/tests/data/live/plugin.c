// A shared object of the server, which is loaded with the first request to it.
static int twice(int x) { //= plugin
  return x > 0 ? 2 * x : 0; //= plugin
} //= plugin

int plugin(void) { //= plugin
  return twice(7); //= plugin
} //= plugin
