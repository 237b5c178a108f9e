/* The socket or pty that the DUT connects to, and the DUT's process. */
#define _GNU_SOURCE
#include "hciload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* The port or the path that {} in the DUT's arguments stands for. */
static char endpoint[256];
static int listener = -1;
static pid_t child; /* -1 once it has ended */
static uint64_t spawned_at;

static void open_pty(void) {
  transport.fd = posix_openpt(O_RDWR | O_NOCTTY);
  if (transport.fd < 0 || grantpt(transport.fd) || unlockpt(transport.fd))
    die("pty: %s", strerror(errno));
  snprintf(endpoint, sizeof endpoint, "%s", ptsname(transport.fd));
  /* The slave stays open. Without one, reads would fail until the DUT opens it, and again after the DUT closes it. */
  int slave = open(endpoint, O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios settings;
  tcgetattr(slave, &settings);
  cfmakeraw(&settings);
  tcsetattr(slave, TCSANOW, &settings);
  fcntl(transport.fd, F_SETFD, FD_CLOEXEC);
  if (options.pty_link) {
    unlink(options.pty_link);
    if (symlink(endpoint, options.pty_link))
      die("symlink: %s", strerror(errno));
  }
}

static void listen_on_unix_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", options.unix_path);
  snprintf(endpoint, sizeof endpoint, "%s", options.unix_path);
  unlink(options.unix_path);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
    die("unix: %s", strerror(errno));
}

static void listen_on_tcp(void) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(options.tcp), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int on = 1;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
    die("tcp: %s", strerror(errno));
  getsockname(listener, (struct sockaddr *)&address, &length);
  snprintf(endpoint, sizeof endpoint, "%d", ntohs(address.sin_port));
}

void open_endpoint(void) {
  if (options.pty)
    open_pty();
  else if (options.unix_path)
    listen_on_unix_socket();
  else
    listen_on_tcp();
  log_line("endpoint %s", endpoint);
}

void pin_to_core(int core) {
  if (core < 0)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/* Does the child's part of spawn_dut. */
static void become_dut(char **arguments, int count, int input) {
  pin_to_core(options.dut_cpu);
  dup2(input, 0);
  int log = open(options.dut_log ? options.dut_log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(log, 1);
  dup2(log, 2);
  char **argv = calloc(count + 1, sizeof *argv);
  for (int i = 0; i < count; i++) {
    char *mark = strstr(arguments[i], "{}");
    if (!mark)
      argv[i] = arguments[i];
    else if (asprintf(&argv[i], "%.*s%s%s", (int)(mark - arguments[i]), arguments[i], endpoint, mark + 2) < 0)
      _exit(127);
  }
  execvp(argv[0], argv);
  perror("exec");
  _exit(127);
}

void spawn_dut(char **arguments, int count) {
  int input[2]; /* a standard input that gives nothing and never ends */
  if (pipe2(input, O_CLOEXEC))
    die("pipe: %s", strerror(errno));
  spawned_at = now_ns();
  child = fork();
  if (child == 0)
    become_dut(arguments, count, input[0]);
}

void accept_dut(void) {
  if (listener >= 0) {
    struct pollfd readable = {listener, POLLIN, 0};
    for (int i = 0; i < 600 && poll(&readable, 1, 100) <= 0; i++) {
      if (check_dut())
        die("DUT gone before connecting");
    }
    transport.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (transport.fd < 0)
      die("accept: %s", strerror(errno));
    int on = 1;
    setsockopt(transport.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  fcntl(transport.fd, F_SETFL, fcntl(transport.fd, F_GETFL) | O_NONBLOCK);
}

int check_dut(void) {
  int status;
  if (child > 0 && waitpid(child, &status, WNOHANG) == child) {
    if (WIFSIGNALED(status))
      log_line("DUT died: signal %d", WTERMSIG(status));
    else
      log_line("DUT exited: %d", WEXITSTATUS(status));
    child = -1;
    transport.dead = 1;
  } else if (child <= 0 && options.pid > 0 && kill(options.pid, 0) < 0) {
    transport.dead = 1;
  }
  return transport.dead;
}

void stop_dut(void) {
  if (child <= 0 || options.keep)
    return;
  kill(child, SIGTERM);
  for (int i = 0; i < 20 && waitpid(child, NULL, WNOHANG) == 0; i++) {
    usleep(25000);
    if (i == 18)
      kill(child, SIGKILL);
  }
}

void kill_dut(void) {
  if (child > 0)
    kill(child, SIGKILL);
}

pid_t dut_pid(void) {
  return child > 0 ? child : options.pid;
}

uint64_t dut_spawned_at(void) {
  return spawned_at;
}
