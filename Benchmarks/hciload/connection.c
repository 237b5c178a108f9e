/* Connecting and disconnecting, which the DUT sees as a controller's events. */
#include "hciload.h"

#include <string.h>

enum { INTERVAL_UNITS = 6, TIMEOUT_UNITS = 500 }; /* 7.5 ms and 5 s */

static int le_event_wanted(int bit) {
  return controller.le_event_mask >> bit & 1;
}

static void send_connection_complete(const struct connection *c, int index) {
  uint8_t event[30] = {0};
  uint8_t peer[6] = {0x10 + index, 0x22, 0x33, 0x44, 0x55, 0xc6};
  put16(event + 1, c->handle);
  event[3] = 1; /* the DUT is the peripheral */
  event[4] = 1; /* the peer's address is random */
  memcpy(event + 5, peer, 6);
  int enhanced = options.enhanced && le_event_wanted(9);
  uint8_t *parameters = event + (enhanced ? 23 : 11);
  put16(parameters, INTERVAL_UNITS);
  put16(parameters + 4, TIMEOUT_UNITS);
  if (enhanced)
    send_le_event(0x0a, event, 30);
  else
    send_le_event(0x01, event, 18);
}

/* Sends what else a controller reports of a new link: the end of advertising, channel selection, and data length. */
static void send_link_events(const struct connection *c, int extended, int advertising_handle) {
  if (extended && le_event_wanted(17)) {
    uint8_t terminated[5] = {0, advertising_handle, 0, 0, 1};
    put16(terminated + 2, c->handle);
    send_le_event(0x12, terminated, 5);
  }
  if (le_event_wanted(19)) {
    uint8_t selection[3] = {0, 0, 1};
    put16(selection, c->handle);
    send_le_event(0x14, selection, 3);
  }
  if (options.data_length && le_event_wanted(6)) {
    uint8_t change[10];
    put16(change, c->handle);
    put16(change + 2, 251);
    put16(change + 4, 2120);
    put16(change + 6, 251);
    put16(change + 8, 2120);
    send_le_event(0x07, change, 10);
  }
}

static int exchange_mtu(struct connection *c) {
  uint8_t pdu[3] = {0x02};
  put16(pdu + 1, options.mtu);
  int n = request(c, pdu, 3);
  c->mtu = 23;
  if (n >= 3 && c->response[0] == 0x03) {
    c->mtu = get16(c->response + 1);
    if (c->mtu > options.mtu)
      c->mtu = options.mtu;
  }
  return n;
}

int connect_link(int index) {
  struct connection *c = &connections[index];
  if (!WAIT_FOR(controller.advertising, options.timeout_s)) {
    log_line("DUT does not advertise (connection %d)", index);
    return -1;
  }
  memset(c, 0, sizeof *c);
  c->handle = FIRST_HANDLE + index;
  c->up = 1;
  c->mtu = 23;
  c->up_at = now_ns();
  int extended = controller.extended_advertising, advertising_handle = controller.advertising_handle;
  set_advertising(0, extended, advertising_handle);
  send_connection_complete(c, index);
  send_link_events(c, extended, advertising_handle);
  /* A real link needs at least one connection event before the first PDU. */
  if (options.connection_delay_us)
    WAIT_FOR(0, options.connection_delay_us / 1e6);
  if (exchange_mtu(c) < 0) {
    log_line("no MTU response on connection %d", index);
    return -1;
  }
  return 0;
}

void disconnect_link(int index) {
  struct connection *c = &connections[index];
  if (!c->up)
    return;
  uint8_t event[4] = {0, 0, 0, 0x13}; /* the remote user ended the link */
  put16(event + 1, c->handle);
  c->up = 0;
  send_event(0x05, event, 4);
  /* The host's buffers for this link are free again. */
  if (controller.flow_control)
    controller.flow_credits = controller.flow_total;
}
