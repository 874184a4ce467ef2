// Threads that are joined; atomic counters make the counts exact (not those of values, which race in the official archive).
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic -pthread
// profrt: variant ir
// profrt: flags -fprofile-generate -fprofile-update=atomic -mllvm -disable-vp -mllvm -instrprof-atomic-counter-update-all -pthread
// profrt: variant static
// profrt: flags -fprofile-instr-generate -fprofile-update=atomic -pthread
// profrt: lflags -static -Wl,--whole-archive -lpthread -Wl,--no-whole-archive
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> total;
thread_local int mine;

static void work(int n) {
  for (int i = 0; i < 1000; i++) {
    mine += i % n ? 1 : 2;
  }
  total += mine;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; i++)
    threads.emplace_back(work, i);
  for (auto &thread : threads)
    thread.join();
  std::printf("%d\n", total.load());
}
