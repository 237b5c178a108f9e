/* nulldut: the smallest possible peripheral host. It shows the least that the kernel and hciload cost any host.
 *
 * It reads what has arrived, handles every packet in place, writes all answers at once, and allocates nothing. Its
 * database is fixed: service FF10 (handle 1) with FF11 (write command and notify; value 3, CCCD 4) and FF13 (read;
 * value 6). It accepts one L2CAP channel on any SPSM. It trusts its peer: the malformed phase is not for it.
 *
 *   nulldut tcp:PORT|unix:PATH|/dev/pts/N [v]      (v: one write for each command)
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

enum { CONNECTIONS = 64, MTU = 517 };
enum { CID_ATT = 4, CID_SIGNALLING = 5, CHANNEL_CID = 0x40 };
enum { CHANNEL_SDU = 2048, CHANNEL_MPS = 247, CHANNEL_CREDITS = 128, CREDIT_BATCH = 64 };

static int fd, write_each_command;
static uint8_t in[1 << 17], out[1 << 20];
static int in_length, out_length;

/* The free ACL buffers of the controller. */
static int slots = 12;

/* By connection handle, modulo 64. */
static uint16_t handles[CONNECTIONS];
static int subscribed[CONNECTIONS];

/* The one L2CAP channel. */
static int channel_handle; /* 0 while none is open */
static uint16_t channel_remote_cid;
static int channel_credits, channel_frames_taken;
static int channel_left; /* octets of the outgoing SDU that are not sent yet */

static long writes;

static uint16_t get16(const uint8_t *p) {
  return p[0] | p[1] << 8;
}

static void put16(uint8_t *p, uint16_t value) {
  p[0] = value;
  p[1] = value >> 8;
}

/* ---- out ---- */

static void flush_output(void) {
  for (int offset = 0; offset < out_length;) {
    ssize_t written = write(fd, out + offset, out_length - offset);
    if (written >= 0) {
      offset += written;
    } else {
      struct pollfd writable = {fd, POLLOUT, 0};
      poll(&writable, 1, 100);
    }
  }
  out_length = 0;
}

static void send_command(uint16_t opcode, const void *parameters, int length) {
  uint8_t *packet = out + out_length;
  packet[0] = 1;
  put16(packet + 1, opcode);
  packet[3] = length;
  memcpy(packet + 4, parameters, length);
  out_length += 4 + length;
  if (write_each_command)
    flush_output();
}

/* Writes the headers of an ACL packet with one whole L2CAP frame. Returns where its `length` octets go. */
static uint8_t *begin_frame(uint16_t handle, uint16_t cid, int length) {
  uint8_t *packet = out + out_length;
  packet[0] = 2;
  put16(packet + 1, handle);
  put16(packet + 3, length + 4);
  put16(packet + 5, length);
  put16(packet + 7, cid);
  out_length += 9 + length;
  slots--;
  return packet + 9;
}

static uint8_t *begin_att(uint16_t handle, uint8_t opcode, int length) {
  uint8_t *pdu = begin_frame(handle, CID_ATT, length);
  pdu[0] = opcode;
  return pdu;
}

static uint8_t *begin_signal(uint16_t handle, uint8_t code, uint8_t identifier, int length) {
  uint8_t *command = begin_frame(handle, CID_SIGNALLING, 4 + length);
  command[0] = code;
  command[1] = identifier;
  put16(command + 2, length);
  return command + 4;
}

static void send_error(uint16_t handle, uint8_t request, uint16_t attribute, uint8_t error) {
  uint8_t *pdu = begin_att(handle, 0x01, 5);
  pdu[1] = request;
  put16(pdu + 2, attribute);
  pdu[4] = error;
}

/* ---- events ---- */

static void advertise(void) {
  send_command(0x200a, "\1", 1);
}

/* Sends the next command of the start-up after each Command Complete: reset, event mask, parameters, enable. */
static void command_complete(uint16_t opcode) {
  if (opcode == 0x0c03)
    send_command(0x2001, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  else if (opcode == 0x2001)
    send_command(0x2006, "\x30\0\x30\0\0\0\0\0\0\0\0\0\0\7\0", 15);
  else if (opcode == 0x2006)
    advertise();
}

static void receive_event(const uint8_t *p) {
  if (p[0] == 0x0e) {
    command_complete(get16(p + 3));
  } else if (p[0] == 0x13) { /* Number Of Completed Packets */
    for (int i = 0; i < p[2]; i++)
      slots += get16(p + 5 + 4 * i);
  } else if (p[0] == 0x3e && (p[2] == 0x01 || p[2] == 0x0a)) { /* a connection: advertise for the next one */
    advertise();
  } else if (p[0] == 0x05) { /* Disconnection Complete */
    subscribed[get16(p + 3) % CONNECTIONS] = 0;
    channel_handle = 0;
  }
}

/* ---- ATT ---- */

static void read_by_type(uint16_t handle, uint16_t start) {
  int from_first = start <= 2;
  uint8_t *pdu = begin_att(handle, 0x09, 2 + 7 * (from_first ? 2 : 1));
  pdu[1] = 7;
  pdu += 2;
  if (from_first) {
    put16(pdu, 2);
    pdu[2] = 0x14;
    put16(pdu + 3, 3);
    put16(pdu + 5, 0xff11);
    pdu += 7;
  }
  put16(pdu, 5);
  pdu[2] = 0x0a;
  put16(pdu + 3, 6);
  put16(pdu + 5, 0xff13);
}

static void receive_att(uint16_t handle, const uint8_t *d, int n) {
  uint8_t *pdu;
  uint16_t start = n >= 3 ? get16(d + 1) : 0; /* or the attribute's handle */
  switch (d[0]) {
  case 0x02: /* Exchange MTU */
    pdu = begin_att(handle, 0x03, 3);
    put16(pdu + 1, MTU);
    break;
  case 0x10: /* Read By Group Type */
    if (start > 1) {
      send_error(handle, d[0], start, 0x0a);
      break;
    }
    pdu = begin_att(handle, 0x11, 8);
    pdu[1] = 6;
    put16(pdu + 2, 1);
    put16(pdu + 4, 0xffff);
    put16(pdu + 6, 0xff10);
    break;
  case 0x08: /* Read By Type */
    if (start > 5)
      send_error(handle, d[0], start, 0x0a);
    else
      read_by_type(handle, start);
    break;
  case 0x04: /* Find Information */
    if (start > 4) {
      send_error(handle, d[0], start, 0x0a);
      break;
    }
    pdu = begin_att(handle, 0x05, 6);
    pdu[1] = 1;
    put16(pdu + 2, 4);
    put16(pdu + 4, 0x2902);
    break;
  case 0x0a: /* Read */
    pdu = begin_att(handle, 0x0b, 21);
    memset(pdu + 1, 7, 20);
    break;
  case 0x12: /* Write Request */
    if (start == 4)
      subscribed[handle % CONNECTIONS] = d[3] & 1;
    begin_att(handle, 0x13, 1);
    break;
  case 0x52: /* Write Command */
    writes++;
    break;
  default:
    if (!(d[0] & 1))
      send_error(handle, d[0], start, 0x06);
  }
}

/* ---- the channel ---- */

static void open_channel(uint16_t handle, const uint8_t *d) {
  uint8_t *data = begin_signal(handle, 0x15, d[1], 10);
  put16(data, CHANNEL_CID);
  put16(data + 2, CHANNEL_SDU);
  put16(data + 4, CHANNEL_MPS);
  put16(data + 6, CHANNEL_CREDITS);
  put16(data + 8, 0);
  channel_remote_cid = get16(d + 6);
  channel_credits = get16(d + 12);
  channel_handle = handle;
  channel_frames_taken = 0;
}

static void receive_signal(uint16_t handle, const uint8_t *d) {
  if (d[0] == 0x14) { /* LE Credit Based Connection Request */
    open_channel(handle, d);
  } else if (d[0] == 0x16) { /* Flow Control Credit */
    channel_credits += get16(d + 6);
  } else if (d[0] == 0x06) { /* Disconnection Request */
    memcpy(begin_signal(handle, 0x07, d[1], 4), d + 4, 4);
    channel_handle = 0;
  }
}

static void receive_frame(uint16_t handle) {
  if (++channel_frames_taken < CREDIT_BATCH)
    return;
  uint8_t *data = begin_signal(handle, 0x16, 1, 4);
  put16(data, CHANNEL_CID);
  put16(data + 2, channel_frames_taken);
  channel_frames_taken = 0;
}

static void receive_acl(const uint8_t *p, int length) {
  if (length < 8 || (get16(p) >> 12 & 3) == 1) /* it needs to recombine nothing */
    return;
  uint16_t handle = get16(p) & 0xfff, cid = get16(p + 6);
  const uint8_t *d = p + 8;
  int n = get16(p + 4);
  handles[handle % CONNECTIONS] = handle;
  if (cid == CID_ATT && n > 0)
    receive_att(handle, d, n);
  else if (cid == CID_SIGNALLING)
    receive_signal(handle, d);
  else if (cid == CHANNEL_CID)
    receive_frame(handle);
}

/* ---- what it sends by itself ---- */

/* Fills every free buffer with notifications of 244 octets, to one subscriber after the other. */
static void stream_notifications(void) {
  static int turn;
  for (int idle = 0; idle < CONNECTIONS && slots > 0; idle++) {
    turn = (turn + 1) % CONNECTIONS;
    if (!subscribed[turn])
      continue;
    uint8_t *pdu = begin_att(handles[turn], 0x1b, 247);
    put16(pdu + 1, 3);
    idle = -1;
  }
}

/* Fills every free buffer with K-frames, as far as the peer's credits allow. */
static void stream_channel(void) {
  while (channel_handle && channel_credits > 0 && slots > 0) {
    int first = channel_left == 0;
    int header = first ? 2 : 0;
    if (first)
      channel_left = CHANNEL_SDU;
    int count = CHANNEL_MPS - header;
    if (count > channel_left)
      count = channel_left;
    uint8_t *frame = begin_frame(channel_handle, channel_remote_cid, count + header);
    if (first)
      put16(frame, CHANNEL_SDU);
    channel_left -= count;
    channel_credits--;
  }
}

/* ---- in ---- */

/* Returns the length of the H4 packet at `p`, or more than can be there when the length is not known yet. */
static int h4_length(const uint8_t *p, int available) {
  if (p[0] == 4)
    return 3 + p[2];
  return available < 5 ? 1 << 30 : 5 + get16(p + 3);
}

static void handle_input(void) {
  int offset = 0;
  while (in_length - offset >= 3) {
    uint8_t *p = in + offset;
    int length = h4_length(p, in_length - offset);
    if (length > in_length - offset)
      break;
    if (p[0] == 4)
      receive_event(p + 1);
    else
      receive_acl(p + 1, length - 1);
    offset += length;
  }
  memmove(in, in + offset, in_length - offset);
  in_length -= offset;
}

/* Reads once and returns whether the transport works. A pty may report an end or error before its peer is ready. */
static int read_input(int is_pty) {
  static int retries;
  ssize_t count = read(fd, in + in_length, sizeof in - in_length);
  if (count > 0) {
    in_length += count;
    return 1;
  }
  int error = count < 0 ? errno : 0;
  fprintf(stderr, "read %d errno %d\n", (int)count, error);
  int may_pass = error == EINTR || error == EAGAIN || count == 0;
  if (!is_pty || !may_pass || retries++ >= 50)
    return 0;
  usleep(1000);
  return 1;
}

static int connect_tcp(int port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address))
    return -1;
  return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(fd, (struct sockaddr *)&address, sizeof address);
}

static int open_pty(const char *path) {
  struct termios settings;
  fd = open(path, O_RDWR | O_NOCTTY);
  if (tcgetattr(fd, &settings))
    return -1;
  cfmakeraw(&settings);
  return tcsetattr(fd, TCSANOW, &settings);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: nulldut tcp:PORT|unix:PATH|/dev/pts/N [v]\n");
    return 64;
  }
  const char *endpoint = argv[1];
  int is_pty = endpoint[0] == '/', failed;
  write_each_command = argc > 2;
  if (!strncmp(endpoint, "tcp:", 4))
    failed = connect_tcp(atoi(endpoint + 4));
  else if (!strncmp(endpoint, "unix:", 5))
    failed = connect_unix(endpoint + 5);
  else
    failed = open_pty(endpoint);
  if (failed) {
    perror(endpoint);
    return 1;
  }
  send_command(0x0c03, "", 0);
  flush_output();
  while (read_input(is_pty)) {
    handle_input();
    stream_notifications();
    stream_channel();
    if (out_length)
      flush_output();
  }
  fprintf(stderr, "wrote %ld\n", writes);
  return 0;
}
