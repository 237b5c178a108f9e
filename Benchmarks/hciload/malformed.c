/* The malformed phase: packets that are wrong in random ways, and checks that the DUT still works.
 *
 * The H4 framing stays right, so that only the layers above are attacked. A seed determines the packets: the random
 * numbers are drawn in a fixed order, one in each statement. */
#include "hciload.h"

#include <string.h>
#include <unistd.h>

enum packet_class { ATT, L2CAP, ACL, SMP, EVENT, CLASSES };

static const char *const class_names[CLASSES] = {"att", "l2cap", "acl", "smp", "evt"};

enum { LARGEST = 600 };

/* Good PDUs to damage: the length, then the octets. Octets that a row does not give are zero. */
typedef uint8_t template[24];

static const template att_templates[] = {
    {3, 0x02, 0xf7, 0},
    {5, 0x04, 1, 0, 0xff, 0xff},
    {9, 0x06, 1, 0, 0xff, 0xff, 0, 0x28, 0x0f, 0x18},
    {7, 0x08, 1, 0, 0xff, 0xff, 3, 0x28},
    {3, 0x0a, 3, 0},
    {5, 0x0c, 3, 0, 1, 0},
    {5, 0x0e, 3, 0, 5, 0},
    {7, 0x10, 1, 0, 0xff, 0xff, 0, 0x28},
    {6, 0x12, 9, 0, 1, 0, 7},
    {9, 0x16, 9, 0, 0, 0, 1, 2, 3, 4},
    {2, 0x18, 1},
    {2, 0x18, 0},
    {5, 0x20, 3, 0, 5, 0},
    {7, 0x52, 9, 0, 1, 2, 3, 4},
    {17, 0xd2, 9, 0, 1},
    {1, 0x1e},
    {5, 0x01, 0x0a, 3, 0, 1},
    {5, 0x1b, 3, 0, 1, 2},
};

static const template signal_templates[] = {
    {12, 0x12, 1, 8, 0, 6, 0, 6, 0, 0, 0, 0xf4, 1},
    {14, 0x14, 1, 10, 0, 0x25, 0, 0x41, 0, 0xf7, 0, 0xf7, 0, 5, 0},
    {8, 0x16, 1, 4, 0, 0x41, 0, 0xff, 0xff},
    {8, 0x06, 1, 4, 0, 0x41, 0, 0x41, 0},
    {8, 0x0a, 1, 2, 0, 1, 0},
    {6, 0x01, 1, 2, 0, 0, 0},
    {14, 0x17, 1, 10, 0, 0x27, 0, 0x40, 0, 0x40, 0, 5, 0, 0x42, 0},
    {14, 0x19, 1, 6, 0, 0x40, 0, 0x40, 0, 0x41, 0},
    {6, 0x13, 1, 2, 0, 0, 0},
};

static const template smp_templates[] = {
    {7, 0x01, 3, 0, 1, 16, 7, 7},
    {17, 0x03, 1, 2, 3},
    {17, 0x04, 1},
    {2, 0x05, 8},
    {17, 0x06},
    {11, 0x07},
    {17, 0x08},
    {8, 0x09},
    {17, 0x0a},
    {2, 0x0b, 1},
    {17, 0x0d},
    {2, 0x0e, 1},
};

#define COUNT(array) (sizeof array / sizeof array[0])

/* ---- making packets ---- */

static int fill_from(const template *templates, unsigned count, uint8_t *p) {
  const uint8_t *chosen = templates[random_number() % count];
  memcpy(p, chosen + 1, chosen[0]);
  return chosen[0];
}

static int append_random(uint8_t *p, int n, int count) {
  for (int i = 0; i < count && n < LARGEST; i++)
    p[n++] = random_number();
  return n;
}

/* Makes up to three faults in the `n` octets at `p`. Returns the new length. */
static int spoil(uint8_t *p, int n) {
  static const uint8_t edges[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
  uint8_t value;
  for (uint32_t faults = random_number() % 4; faults > 0; faults--) {
    switch (random_number() % 6) {
    case 0: /* one bit */
      if (n) {
        value = 1 << random_number() % 8;
        p[random_number() % n] ^= value;
      }
      break;
    case 1: /* one octet */
      if (n) {
        value = random_number();
        p[random_number() % n] = value;
      }
      break;
    case 2: /* cut short */
      if (n)
        n = random_number() % n;
      break;
    case 3: /* a little too long */
      n = append_random(p, n, random_number() % 30);
      break;
    case 4: /* a value at the edge of its range */
      if (n) {
        value = edges[random_number() % COUNT(edges)];
        p[random_number() % n] = value;
      }
      break;
    case 5: /* sometimes, much too long */
      if (random_number() % 10 == 0)
        n = append_random(p, n, random_number() % 500);
      break;
    }
  }
  return n;
}

/* Makes a random HCI event, but none that would rightly end the link: Disconnection Complete, Hardware Error and a
 * second connection. */
static int make_event(uint8_t *packet, uint16_t handle) {
  static const uint8_t codes[] = {0x0e, 0x0f, 0x13, 0x3e, 0x08, 0x30, 0x0c, 0x3e, 0x3e, 0x57, 0x1a, 0x3e};
  uint8_t *p = packet + 3;
  uint8_t code = random_number() % 4 ? codes[random_number() % COUNT(codes)] : random_number();
  if (code == 0x05 || code == 0x10)
    code = 0x3e;
  int length = random_number() % 3 ? random_number() % 20 : random_number() % 256;
  for (int i = 0; i < length; i++)
    p[i] = random_number() % 3 ? random_number() : 0;
  if (code == 0x3e && length) {
    p[0] = random_number() % 0x30;
    if (p[0] == 0x01 || p[0] == 0x0a || p[0] == 0x29)
      p[0] = 0x0d;
    if (length > 3)
      put16(p + 2, random_number() % 2 ? handle : random_number());
  }
  if (code == 0x13) {
    p[0] = random_number() % 8;
    if (length > 4 && random_number() % 2) {
      p[0] = 1;
      put16(p + 1, handle);
      put16(p + 3, random_number() % 3);
    }
  }
  if (code == 0x0e && length > 3) {
    p[0] = 1;
    put16(p + 1, random_number() % 2 ? 0x2000 | random_number() % 0x60 : 0x0c00 | random_number() % 0x80);
  }
  if (code == 0x0f && length > 3)
    p[1] = 1;
  packet[0] = H4_EVENT;
  packet[1] = code;
  packet[2] = length;
  return length + 3;
}

/* Makes the L2CAP payload of a class, and chooses the channel that it goes to. Returns the payload's length. */
static int make_payload(enum packet_class class, uint8_t *p, uint16_t *cid) {
  static const uint16_t channels[] = {4, 5, 6, 1, 2, 0x40, 0x41, 7, 0, 0xffff};
  int n;
  switch (class) {
  case ATT:
    *cid = CID_ATT;
    return fill_from(att_templates, COUNT(att_templates), p);
  case L2CAP:
    *cid = CID_SIGNALLING;
    return fill_from(signal_templates, COUNT(signal_templates), p);
  case SMP:
    *cid = CID_SMP;
    return fill_from(smp_templates, COUNT(smp_templates), p);
  default:
    n = append_random(p, 0, random_number() % 40);
    *cid = channels[random_number() % COUNT(channels)];
    return n;
  }
}

/* What the ACL and L2CAP headers say, before faults are made. */
struct header {
  uint16_t handle;
  int boundary; /* the packet boundary flag */
  int length;   /* of the L2CAP payload */
};

static void spoil_header(struct header *header, int n) {
  switch (random_number() % 6) {
  case 0:
    header->length = random_number() & 0xffff;
    break;
  case 1:
    header->length = n ? random_number() % n : 3;
    break;
  case 2:
    header->boundary = 1;
    break;
  case 3: /* a link that does not exist */
    header->handle = random_number() & 0xfff;
    if (connection_by_handle(header->handle))
      header->handle = 0xeff;
    break;
  case 4:
    header->boundary = random_number() % 4;
    break;
  case 5:
    header->length = n + random_number() % 40;
    break;
  }
}

static int make_packet(uint8_t *packet, enum packet_class class, uint16_t handle) {
  if (class == EVENT)
    return make_event(packet, handle);
  uint8_t payload[700] = {0};
  uint16_t cid;
  int n = make_payload(class, payload, &cid);
  n = spoil(payload, n);
  struct header header = {handle, 2, n};
  if (class == ACL)
    spoil_header(&header, n);
  if (n + 4 > options.acl_length) {
    n = options.acl_length - 4;
    if (class != ACL)
      header.length = n;
  }
  int total = n + 4;
  packet[0] = H4_ACL;
  put16(packet + 1, (header.handle & 0xfff) | header.boundary << 12);
  put16(packet + 5, header.length);
  put16(packet + 7, cid);
  memcpy(packet + 9, payload, n);
  if (class == ACL && random_number() % 8 == 0) { /* shorter than an L2CAP header */
    int shortened = random_number() % 5;
    if (shortened < total)
      total = shortened;
  }
  put16(packet + 3, total);
  return 5 + total;
}

/* ---- the phase ---- */

static uint8_t reference[512];
static int reference_length;

/* Returns whether the response is the reference value. The first value that is read becomes the reference. */
static int matches_reference(const struct connection *c) {
  int length = c->response_length - 1;
  if (c->response[0] != 0x0b || length < 1)
    return 0;
  if (length > (int)sizeof reference)
    length = sizeof reference;
  if (!reference_length) {
    reference_length = length;
    memcpy(reference, c->response + 1, length);
    return 1;
  }
  return !memcmp(c->response + 1, reference, length < reference_length ? length : reference_length);
}

/* Returns whether the DUT still returns the reference value. It ignores older responses that are still under way. */
static int answers_read(uint16_t handle) {
  struct connection *c = &connections[0];
  uint8_t pdu[3] = {0x0a};
  put16(pdu + 1, handle);
  WAIT_FOR(transmit_pending() == 0, 20);
  for (int attempt = 0; attempt < 3 && !transport.dead && c->up; attempt++) {
    if (controller.flow_control && controller.flow_credits <= 0 && !WAIT_FOR(controller.flow_credits > 0, 1))
      controller.flow_credits = 1;
    c->wanted = matches_reference;
    send_request(c, pdu, 3);
    int answered = WAIT_FOR(!c->waiting || !c->up, options.timeout_s) && c->up;
    c->wanted = NULL;
    c->waiting = 0;
    if (answered)
      return 1;
  }
  return 0;
}

static int reconnect_and_read(uint16_t handle, double pause) {
  disconnect_link(0);
  WAIT_FOR(0, pause);
  return connect_link(0) == 0 && answers_read(handle);
}

static enum packet_class choose_class(void) {
  for (;;) {
    uint32_t v = random_number() % 20;
    enum packet_class class = v < 9 ? ATT : v < 12 ? L2CAP : v < 15 ? ACL : v < 17 ? SMP : EVENT;
    if (strstr(options.malformed_classes, class_names[class]))
      return class;
  }
}

struct tally {
  int by_class[CLASSES];
  int disconnections, reconnections, last_good, credit_top_ups;
};

/* Takes a credit. The DUT may never give back the credit of a malformed packet: wait a moment, then add credits. */
static void take_credit(struct tally *tally) {
  if (!controller.flow_control)
    return;
  if (controller.flow_credits <= 0 && !WAIT_FOR(controller.flow_credits > 0 || !connections[0].up, 0.003)) {
    controller.flow_credits += 16;
    tally->credit_top_ups++;
  }
  controller.flow_credits--;
}

static void send_malformed(int index, struct tally *tally) {
  uint8_t packet[1200];
  enum packet_class class = choose_class();
  int length = make_packet(packet, class, connections[0].handle);
  tally->by_class[class]++;
  if (packet[0] == H4_ACL)
    take_credit(tally);
  memcpy(transmit_room(length), packet, length);
  if (options.trace)
    log_octets("MAL", packet, length);
  while (transmit_pending() > 4096 && pump(now_ns() + 1000000) == 0) {
  }
  if (index % 16 == 0)
    pump(now_ns());
}

/* Reads the reference from time to time. A DUT that does not answer gets a new connection. Returns whether it works. */
static int check_up(int index, uint16_t handle, struct tally *tally) {
  if (index % options.malformed_check != options.malformed_check - 1 || transport.dead)
    return 1;
  if (!answers_read(handle)) {
    if (transport.dead)
      return 1;
    if (options.verbose)
      log_line("malformed: no answer after packet %d, reconnecting", index);
    if (!reconnect_and_read(handle, 0.05))
      return 0;
    tally->reconnections++;
  }
  tally->last_good = index;
  return 1;
}

void phase_malformed(void) {
  struct tally tally = {0};
  uint16_t handle = read_target ? read_target->value : 3;
  int sent, failed = 0;
  seed_random(options.seed);
  if (!answers_read(handle)) {
    log_line("malformed: the reference read fails");
    return;
  }
  phase_begin();
  for (sent = 0; sent < options.malformed && !transport.dead; sent++) {
    send_malformed(sent, &tally);
    if (!connections[0].up && !transport.dead) { /* the DUT may disconnect, but it must come back */
      tally.disconnections++;
      failed = connect_link(0) < 0;
      if (failed)
        break;
      tally.reconnections++;
    }
    failed = !check_up(sent, handle, &tally);
    if (failed)
      break;
  }
  WAIT_FOR(transmit_pending() == 0, 10);
  check_dut();
  int same = !transport.dead && !failed && connections[0].up && answers_read(handle);
  int recovered = !same && !transport.dead && reconnect_and_read(handle, 0.1);
  usleep(20000); /* a process may die a moment after its last answer */
  check_dut();
  const char *how = same             ? "same connection"
                    : recovered      ? "after reconnect"
                    : transport.dead ? "process dead or transport closed"
                                     : "alive but deaf";
  const int *by_class = tally.by_class;
  phase_end("malformed", sent,
            "\"n\":%d,\"seed\":%u,\"att\":%d,\"l2cap\":%d,\"acl\":%d,\"smp\":%d,\"evt\":%d,\"survived\":%s,"
            "\"how\":\"%s\",\"dut_disconnects\":%d,\"reconnects\":%d,\"last_ok\":%d,\"credit_topups\":%d,"
            "\"per_s\":%.0f",
            sent, options.seed, by_class[ATT], by_class[L2CAP], by_class[ACL], by_class[SMP], by_class[EVENT],
            same || recovered ? "true" : "false", how, tally.disconnections, tally.reconnections, tally.last_good,
            tally.credit_top_ups, sent / ((now_ns() - phase_started_at()) / 1e9));
}
