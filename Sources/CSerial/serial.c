#define _GNU_SOURCE
#include "CSerial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

uint32_t cserial_standard_speed(uint32_t baud) {
  static const struct { uint32_t baud; speed_t speed; } table[] = {
    {1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},       {19200, B19200},
    {38400, B38400},     {57600, B57600},     {115200, B115200},   {230400, B230400},   {460800, B460800},
    {500000, B500000},   {576000, B576000},   {921600, B921600},   {1000000, B1000000}, {1152000, B1152000},
    {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
    {4000000, B4000000},
  };
  for (unsigned index = 0; index < sizeof table / sizeof table[0]; index++) {
    if (table[index].baud == baud) return table[index].speed;
  }
  return B0;
}

int cserial_prefer_low_latency(int descriptor) {
  struct serial_struct settings;
  if (ioctl(descriptor, TIOCGSERIAL, &settings) != 0) return errno;
  settings.flags |= ASYNC_LOW_LATENCY;
  return ioctl(descriptor, TIOCSSERIAL, &settings) == 0 ? 0 : errno;
}

int cserial_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void cserial_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

uint64_t cserial_set_timer_slack(uint64_t nanoseconds) {
  int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
  return before > 0 ? (uint64_t)before : 0;
}

int cserial_open_terminal(char *name, uint32_t capacity) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master < 0) return -1;
  if (grantpt(master) == 0 && unlockpt(master) == 0) {
    int code = ptsname_r(master, name, capacity);
    if (code == 0) return master;
    errno = code;
  }
  int code = errno;
  close(master);
  errno = code;
  return -1;
}

int cserial_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int cserial_poll(struct pollfd *descriptors, uint32_t count, int64_t nanoseconds) {
  if (nanoseconds < 0) return ppoll(descriptors, count, NULL, NULL);
  struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return ppoll(descriptors, count, &timeout, NULL);
}
