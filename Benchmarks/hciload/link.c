/* What the DUT sends over a link: ACL recombination, then L2CAP by channel. */
#include "hciload.h"

#include <string.h>

struct connection connections[MAX_CONNECTIONS];

/* The ACL packets that the next Number Of Completed Packets reports, by connection. */
static int completed[MAX_CONNECTIONS];

struct connection *connection_by_handle(uint16_t handle) {
  handle &= 0xfff;
  if (handle < FIRST_HANDLE || handle >= FIRST_HANDLE + MAX_CONNECTIONS)
    return NULL;
  return &connections[handle - FIRST_HANDLE];
}

void forget_completed(void) {
  memset(completed, 0, sizeof completed);
}

void report_completed(void) {
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    if (!completed[i])
      continue;
    uint8_t event[5] = {1};
    put16(event + 1, connections[i].handle);
    put16(event + 3, completed[i]);
    if (connections[i].up)
      send_event(0x13, event, 5);
    completed[i] = 0;
  }
}

/* ---- ATT (Core 5.4 Vol 3 Part F 3.4) ---- */

static void count_multiple_notification(struct connection *c, const uint8_t *d, int n) {
  for (int i = 1; i + 4 <= n;) {
    int length = get16(d + i + 2);
    c->notifications++;
    c->notified_octets += length;
    i += 4 + length;
  }
}

/* Answers a request of the DUT, which may be a client too, as an empty database does. */
static void refuse_request(struct connection *c, const uint8_t *d, int n) {
  uint8_t error[5] = {0x01, d[0], n >= 3 ? d[1] : 1, n >= 3 ? d[2] : 0, 0x0a};
  send_l2cap(c, CID_ATT, error, 5);
}

static void receive_att(struct connection *c, const uint8_t *d, int n) {
  if (n < 1)
    return;
  uint8_t opcode = d[0];
  if (opcode == 0x1b) { /* Handle Value Notification */
    c->notifications++;
    c->notified_octets += n > 3 ? n - 3 : 0;
  } else if (opcode == 0x23) { /* Multiple Handle Value Notification */
    count_multiple_notification(c, d, n);
  } else if (opcode == 0x1d) { /* Handle Value Indication */
    uint8_t confirmation = 0x1e;
    c->indications++;
    send_l2cap(c, CID_ATT, &confirmation, 1);
  } else if (opcode == 0x02) { /* Exchange MTU Request */
    uint8_t response[3] = {0x03};
    put16(response + 1, options.mtu);
    send_l2cap(c, CID_ATT, response, 3);
  } else if (!(opcode & 0x01) && opcode != 0x1e && !(opcode & 0x40)) { /* any other request */
    refuse_request(c, d, n);
  } else if (c->waiting) {
    c->response_length = n > (int)sizeof c->response ? (int)sizeof c->response : n;
    memcpy(c->response, d, c->response_length);
    c->answered_at = now_ns();
    c->waiting = c->wanted && !c->wanted(c);
  }
}

/* ---- signalling (Core 5.4 Vol 3 Part A 4) ---- */

/* Accepts new connection parameters, which take effect at once. */
static void accept_parameters(struct connection *c, uint8_t identifier, const uint8_t *d, int length) {
  uint8_t result[2] = {0}, update[9] = {0};
  send_signal(c, 0x13, identifier, result, 2);
  if (length < 8)
    return;
  put16(update + 1, c->handle);
  put16(update + 3, get16(d + 2));
  put16(update + 5, get16(d + 4));
  put16(update + 7, get16(d + 6));
  send_le_event(0x03, update, 9);
}

static void receive_signal(struct connection *c, const uint8_t *d, int n) {
  if (n < 4)
    return;
  uint8_t code = d[0], identifier = d[1], answer[16] = {0};
  int length = get16(d + 2);
  d += 4;
  if (length > n - 4)
    return;
  switch (code) {
  case 0x06: /* Disconnection Request */
    memcpy(answer, d, 4);
    send_signal(c, 0x07, identifier, answer, 4);
    c->channel_open = 0;
    break;
  case 0x07: /* Disconnection Response */
    c->channel_open = 0;
    break;
  case 0x12: /* Connection Parameter Update Request */
    accept_parameters(c, identifier, d, length);
    break;
  case 0x14: /* LE Credit Based Connection Request: refused, SPSM not supported */
    put16(answer + 8, 2);
    send_signal(c, 0x15, identifier, answer, 10);
    break;
  case 0x15: /* LE Credit Based Connection Response */
    if (length >= 10) {
      c->remote_cid = get16(d);
      c->remote_mtu = get16(d + 2);
      c->remote_mps = get16(d + 4);
      c->send_credits = get16(d + 6);
      c->signal_result = get16(d + 8);
      c->signal_answered = 1;
    }
    break;
  case 0x16: /* Flow Control Credit */
    if (length >= 4 && get16(d) == c->remote_cid) {
      c->send_credits += get16(d + 2);
      c->credits_received += get16(d + 2);
    }
    break;
  case 0x17: /* Credit Based Connection Request: refused, SPSM not supported */
    put16(answer + 6, 2);
    send_signal(c, 0x18, identifier, answer, 8);
    break;
  }
}

/* Takes a K-frame: counts its octets and the SDUs that it completes. */
static void receive_frame(struct connection *c, const uint8_t *d, int n) {
  int offset = 0;
  c->frames_received++;
  c->receive_credits--;
  if (c->receive_left == 0) {
    if (n < 2)
      return;
    c->receive_left = get16(d);
    offset = 2;
  }
  uint32_t count = n - offset;
  c->channel_received += count;
  if (count >= c->receive_left) {
    c->receive_left = 0;
    c->sdus_received++;
  } else {
    c->receive_left -= count;
  }
}

static void receive_l2cap(struct connection *c, uint16_t cid, const uint8_t *d, int n) {
  if (cid == CID_ATT)
    receive_att(c, d, n);
  else if (cid == CID_SIGNALLING)
    receive_signal(c, d, n);
  else if (cid == CID_SMP)
    return; /* security requests are ignored */
  else if (cid == c->local_cid && c->channel_open)
    receive_frame(c, d, n);
}

void receive_acl(uint8_t *packet, int length) {
  uint16_t header = get16(packet);
  int continues = (header >> 12 & 3) == 1;
  struct connection *c = connection_by_handle(header);
  uint8_t *d = packet + 4;
  int n = length - 4;
  if (options.trace)
    log_octets("H>C", packet - 1, length + 1);
  transport.acl_received++;
  if (!c || !c->up)
    return;
  completed[c - connections]++;
  if (!continues) {
    c->received_length = 0;
    if (n < 4)
      return;
    c->expected_length = get16(d) + 4;
  }
  if (c->received_length + n > (int)sizeof c->received) {
    c->received_length = 0;
    return;
  }
  if (!continues && n >= c->expected_length) { /* whole in one fragment: no copy */
    receive_l2cap(c, get16(d + 2), d + 4, c->expected_length - 4);
    c->expected_length = 0;
    return;
  }
  if (c->expected_length == 0)
    return;
  memcpy(c->received + c->received_length, d, n);
  c->received_length += n;
  if (c->received_length >= c->expected_length) {
    receive_l2cap(c, get16(c->received + 2), c->received + 4, c->expected_length - 4);
    c->expected_length = c->received_length = 0;
  }
}
