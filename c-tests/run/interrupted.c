// Signals without SA_RESTART while the profile is written to a pipe that is small and slow.
// profrt: only-ours: the official archive of 14 and 16 loses the profile at the first interrupted write, later ones cannot write to pipes
// profrt: flags -fprofile-instr-generate -O0
// profrt: run ln -s /proc/self/fd/1 out; LLVM_PROFILE_FILE=out main | (sleep 0.2; cat) > x.profraw
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#define ONE(n) int function_with_a_rather_long_name_##n(int x) { return x ? x > n : x < n; }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2)

__attribute__((no_profile_instrument_function)) static void tick(int number) { (void)number; }

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &timer, 0);
  return fcntl(1, F_SETPIPE_SZ, 4096) < 0;
}
