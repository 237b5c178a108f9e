// Preloaded into the program: stands in for the kernel's HCI user channel (Linux net/bluetooth/hci_sock.c).
//
// A Bluetooth socket becomes a Unix socket that preserves packet boundaries. Binding it connects it to the path in
// UNDERSTUDY_USER_CHANNEL, or fails with the error number in that variable.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BLUETOOTH = 31, PROTOCOL_HCI = 1, CHANNEL_USER = 1 };

struct adapter_address {
  sa_family_t family;
  unsigned short index;
  unsigned short channel;
};

int socket(int family, int type, int protocol) {
  int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
  if (family != BLUETOOTH) return next(family, type, protocol);
  if (protocol != PROTOCOL_HCI || (type & 0xF) != SOCK_RAW) {
    errno = EPROTONOSUPPORT;
    return -1;
  }
  return next(AF_UNIX, SOCK_SEQPACKET | (type & ~0xF), 0);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
  if (address->sa_family != BLUETOOTH) return next(descriptor, address, length);
  const struct adapter_address *adapter = (const struct adapter_address *)address;
  const char *place = getenv("UNDERSTUDY_USER_CHANNEL");
  if (length != sizeof *adapter || adapter->channel != CHANNEL_USER) {
    errno = EINVAL;
    return -1;
  }
  if (adapter->index != 0) {
    errno = ENODEV;
    return -1;
  }
  if (place[0] != '/') {
    errno = atoi(place);
    return -1;
  }
  struct sockaddr_un peer = {.sun_family = AF_UNIX};
  strncpy(peer.sun_path, place, sizeof peer.sun_path - 1);
  if (connect(descriptor, (struct sockaddr *)&peer, sizeof peer) == 0) return 0;
  // Unplugged: nobody listens any longer.
  errno = ENODEV;
  return -1;
}
