// A small HTTP server, which is not instrumented: what a request counts is all of its handler. It starts three processes, which take requests
// in turn, ends after a minute or some hundred requests, and prints its port.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int handle(const char *name);

static int in_plugin(const char *path) {
  static int (*plugin)(void);
  if (!plugin)
    plugin = (int (*)(void))dlsym(dlopen(path, RTLD_NOW), "plugin");
  return plugin ? plugin() : -1;
}

int main(int argc, char **argv) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  if (argc < 2 || bind(listening, (struct sockaddr *)&address, length) || listen(listening, 8))
    return 1;
  getsockname(listening, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  signal(SIGCHLD, SIG_IGN);
  setpgid(0, 0);
  if (fork())
    fork();
  alarm(60);
  for (int requests = 0; requests < 500; requests++) {
    char text[1024] = "", name[64] = "";
    int client = accept(listening, 0, 0);
    if (read(client, text, sizeof text - 1) <= 0 || sscanf(text, "GET /%63[a-z] ", name) != 1)
      name[0] = 0;
    int result = 0;
    if (!strcmp(name, "fork")) {
      if (!fork())
        alarm(60);
    } else if (!strcmp(name, "quit")) {
      kill(0, SIGTERM);
    } else if (!strcmp(name, "plugin")) {
      result = in_plugin(argv[1]);
    } else {
      result = handle(name);
    }
    int size = snprintf(text, sizeof text, "HTTP/1.0 200 OK\r\n\r\n%d\n", result);
    if (write(client, text, size) != size)
      return 1;
    close(client);
  }
}
