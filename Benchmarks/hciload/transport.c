/* H4 packets out and in, and the pump that drives everything.
 *
 * With --uart both directions are paced: a packet leaves, or counts as arrived, only when a UART of that rate would
 * have transferred it. The two clocks below say when each direction is free again. */
#define _GNU_SOURCE
#include "hciload.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct transport transport = {.fd = -1};

/* Output that waits: [out_head, out_tail). */
static uint8_t out[1 << 21];
static int out_head, out_tail;

/* Input not yet handled: [in_head, in_tail). */
static uint8_t in[1 << 18];
static int in_head, in_tail;

static uint64_t out_clock, in_clock;
static uint64_t in_due; /* when the packet at in_head has arrived; 0 while that is not known */
static uint64_t read_at;
static uint64_t checked_at;

/* At most about two batches of output wait, so that waiting does not add to the latency. */
enum { BATCH_OCTETS = 16384 };

/* Returns the length of the H4 packet at `p`: 0 when more octets are needed, -1 when no packet begins like that. */
static int h4_length(const uint8_t *p, int available) {
  if (available < 1)
    return 0;
  switch (p[0]) {
  case H4_COMMAND:
    return available < 4 ? 0 : 4 + p[3];
  case H4_ACL:
    return available < 5 ? 0 : 5 + get16(p + 3);
  case 3: /* synchronous data */
    return available < 4 ? 0 : 4 + p[3];
  case H4_EVENT:
    return available < 3 ? 0 : 3 + p[2];
  case 5: /* isochronous data */
    return available < 5 ? 0 : 5 + (get16(p + 3) & 0x3fff);
  }
  return -1;
}

/* ---- out ---- */

int transmit_pending(void) {
  return out_tail - out_head;
}

int can_send(int length) {
  if (transport.dead)
    return 0;
  if (transmit_pending() + length > BATCH_OCTETS * 2)
    return 0;
  return !controller.flow_control || controller.flow_credits > 0;
}

static ssize_t write_once(int length) {
  ssize_t written = write(transport.fd, out + out_head, length);
  transport.write_calls++;
  if (written < 0 && errno != EAGAIN && errno != EINTR)
    transport.dead = 1;
  if (written > 0)
    out_head += written;
  return written;
}

/* Writes the rest of a packet that was written in part. This is rare, so it may block. */
static void finish_packet(int left) {
  while (left > 0) {
    struct pollfd writable = {transport.fd, POLLOUT, 0};
    poll(&writable, 1, 1000);
    ssize_t written = write(transport.fd, out + out_head, left);
    if (written > 0) {
      left -= written;
      out_head += written;
    } else if (written < 0 && errno != EAGAIN) {
      transport.dead = 1;
      return;
    }
  }
}

/* Returns when the first packet that waits will have left a paced UART. */
static uint64_t output_due(void) {
  return out_clock + (uint64_t)(h4_length(out + out_head, transmit_pending()) * transport.ns_per_octet);
}

static void flush_output(void) {
  while (out_head < out_tail) {
    int length = transmit_pending();
    if (transport.ns_per_octet > 0) {
      uint64_t due = output_due();
      if (now_ns() < due)
        return;
      length = h4_length(out + out_head, length);
      ssize_t written = write_once(length);
      if (written < 0)
        return;
      out_clock = due;
      finish_packet(length - written);
      if (transport.dead)
        return;
    } else if (write_once(length) < length) {
      return;
    }
  }
  out_head = out_tail = 0;
}

uint8_t *transmit_room(int length) {
  if (out_tail + length > (int)sizeof out) {
    memmove(out, out + out_head, out_tail - out_head);
    out_tail -= out_head;
    out_head = 0;
    if (out_tail + length > (int)sizeof out)
      die("tx overflow");
  }
  if (transport.ns_per_octet > 0 && out_head == out_tail) {
    uint64_t now = now_ns();
    if (out_clock < now)
      out_clock = now;
  }
  uint8_t *room = out + out_tail;
  out_tail += length;
  return room;
}

void send_event(uint8_t code, const void *parameters, int length) {
  uint8_t *packet = transmit_room(3 + length);
  packet[0] = H4_EVENT;
  packet[1] = code;
  packet[2] = length;
  memcpy(packet + 3, parameters, length);
  transport.events_sent++;
  if (options.trace)
    log_octets("C>H", packet, length + 3);
}

void send_le_event(uint8_t subevent, const void *parameters, int length) {
  uint8_t event[256];
  event[0] = subevent;
  memcpy(event + 1, parameters, length);
  send_event(0x3e, event, length + 1);
}

void send_l2cap(struct connection *c, uint16_t cid, const uint8_t *payload, int length) {
  uint8_t header[4];
  put16(header, length);
  put16(header + 2, cid);
  int total = length + 4;
  for (int offset = 0; offset < total;) {
    int first = offset == 0;
    int part = total - offset;
    if (part > options.acl_length)
      part = options.acl_length;
    uint8_t *packet = transmit_room(5 + part);
    packet[0] = H4_ACL;
    put16(packet + 1, c->handle | (first ? 0x2000 : 0x1000));
    put16(packet + 3, part);
    if (first) {
      memcpy(packet + 5, header, 4);
      memcpy(packet + 9, payload, part - 4);
    } else {
      memcpy(packet + 5, payload + offset - 4, part);
    }
    if (options.trace)
      log_octets("C>H", packet, part + 5);
    offset += part;
    transport.acl_sent++;
    if (controller.flow_control)
      controller.flow_credits--;
  }
}

void send_signal(struct connection *c, uint8_t code, uint8_t identifier, const uint8_t *data, int length) {
  uint8_t command[600];
  command[0] = code;
  command[1] = identifier;
  put16(command + 2, length);
  memcpy(command + 4, data, length);
  send_l2cap(c, CID_SIGNALLING, command, length + 4);
}

/* ---- in ---- */

/* Sleeps until there is something to do or until `wake`, but at most 100 ms, so that the death of a DUT is noticed. */
static int wait_for_io(int can_read, uint64_t now, uint64_t wake) {
  int paced = transport.ns_per_octet > 0;
  struct pollfd ready = {transport.fd, 0, 0};
  if (can_read)
    ready.events |= POLLIN;
  if (transmit_pending() && !paced)
    ready.events |= POLLOUT;
  uint64_t delay = wake > now ? wake - now : 0;
  if (delay > 100000000ull)
    delay = 100000000ull;
  struct timespec timeout = {delay / 1000000000ull, delay % 1000000000ull};
  if (paced && delay < 60000)
    timeout.tv_nsec = 0; /* a wake-up takes longer: spin */
  if (ppoll(&ready, 1, &timeout, NULL) < 0 && errno != EINTR) {
    transport.dead = 1;
    return -1;
  }
  return 0;
}

static int read_input(void) {
  if (in_head > 0) {
    memmove(in, in + in_head, in_tail - in_head);
    in_tail -= in_head;
    in_head = 0;
  }
  ssize_t count = read(transport.fd, in + in_tail, sizeof in - in_tail);
  transport.read_calls++;
  if (count > 0) {
    in_tail += count;
    read_at = now_ns();
    if (!transport.first_octet)
      transport.first_octet = read_at;
  } else if (count == 0) {
    log_line("DUT closed the transport");
    transport.dead = 1;
    return -1;
  } else if (errno != EAGAIN && errno != EINTR && errno != EIO) { /* EIO: nobody has opened the pty yet */
    log_line("read: %s", strerror(errno));
    transport.dead = 1;
    return -1;
  }
  return 0;
}

/* Returns whether a paced packet of that length has arrived by now, and notes it. */
static int has_arrived(int length) {
  if (!in_due)
    in_due = (in_clock > read_at ? in_clock : read_at) + (uint64_t)(length * transport.ns_per_octet);
  if (now_ns() < in_due)
    return 0;
  in_clock = in_due;
  in_due = 0;
  return 1;
}

static int handle_input(void) {
  while (in_head < in_tail) {
    int length = h4_length(in + in_head, in_tail - in_head);
    if (length < 0) {
      log_line("H4 desync from DUT: byte %02x", in[in_head]);
      transport.dead = 2;
      return -1;
    }
    if (length == 0 || length > in_tail - in_head)
      break;
    if (transport.ns_per_octet > 0 && !has_arrived(length))
      break;
    uint8_t *packet = in + in_head;
    in_head += length;
    if (packet[0] == H4_COMMAND) {
      receive_command(packet + 1);
    } else if (packet[0] == H4_ACL) {
      receive_acl(packet + 1, length - 1);
      if (!options.batch_completed)
        report_completed();
    }
  }
  if (options.batch_completed)
    report_completed();
  return 0;
}

int pump(uint64_t deadline) {
  int paced = transport.ns_per_octet > 0;
  if (transport.dead)
    return -1;
  flush_output();
  uint64_t now = now_ns(), wake = deadline;
  if (now - checked_at > 100000000ull) {
    checked_at = now;
    if (check_dut())
      return -1;
  }
  if (paced && in_due && in_due < wake)
    wake = in_due;
  if (paced && transmit_pending()) {
    uint64_t due = output_due();
    if (due < wake)
      wake = due;
  }
  int has_credits = !controller.flow_control || controller.flow_credits > 0;
  if (transport.want_to_send && !paced && transmit_pending() == 0 && has_credits)
    wake = now;
  int can_read = in_tail - in_head < 65536 && !(paced && in_tail - in_head > 2048);
  if (!options.spin && wait_for_io(can_read, now, wake) < 0)
    return -1;
  if (can_read && read_input() < 0)
    return -1;
  if (handle_input() < 0)
    return -1;
  flush_output();
  return 0;
}
