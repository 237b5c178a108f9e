#include "CSerial.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

// Definitions from Linux include/net/bluetooth/bluetooth.h and hci_sock.h, which are not in the kernel headers for user space.
#ifndef AF_BLUETOOTH
#define AF_BLUETOOTH 31
#endif
enum { PROTOCOL_HCI = 1, CHANNEL_USER = 1 };

struct adapter_address {
  sa_family_t family;
  unsigned short index;
  unsigned short channel;
};

int cserial_open_adapter(uint16_t index) {
  int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, PROTOCOL_HCI);
  if (descriptor < 0) return -1;
  struct adapter_address address = {AF_BLUETOOTH, index, CHANNEL_USER};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}
