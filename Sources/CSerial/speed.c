// Separate from serial.c, because the kernel's termios2 and the C library's termios.h cannot both be included.
#include "CSerial.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>

extern int ioctl(int descriptor, unsigned long request, ...);

int cserial_set_custom_speed(int descriptor, uint32_t baud) {
  struct termios2 settings;
  if (ioctl(descriptor, TCGETS2, &settings) != 0) return errno;
  settings.c_cflag &= ~(CBAUD | CIBAUD);
  settings.c_cflag |= BOTHER;
  settings.c_ispeed = baud;
  settings.c_ospeed = baud;
  if (ioctl(descriptor, TCSETS2, &settings) != 0) return errno;
  if (ioctl(descriptor, TCGETS2, &settings) != 0) return errno;
  uint32_t difference = settings.c_ospeed > baud ? settings.c_ospeed - baud : baud - settings.c_ospeed;
  return difference > baud / 50 ? ERANGE : 0;
}
