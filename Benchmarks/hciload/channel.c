/* The L2CAP channel phase: K-frames to the DUT and then back from it (stream), or both at the same time (echo). */
#include "hciload.h"

#include <string.h>

enum { LOCAL_CID = 0x0041, PAYLOAD = 2048 };

static void give_credits(struct connection *c, int count) {
  uint8_t data[4];
  put16(data, c->local_cid);
  put16(data + 2, count);
  send_signal(c, 0x16, 2, data, 4);
  c->receive_credits += count;
}

/* Gives the DUT its full number of credits again once half of them are used. */
static void refill_credits(struct connection *c) {
  if (c->receive_credits <= options.coc_credits / 2)
    give_credits(c, options.coc_credits - c->receive_credits);
}

static int open_channel(struct connection *c, int credits) {
  uint8_t data[10];
  c->local_cid = LOCAL_CID;
  c->signal_answered = 0;
  c->receive_credits = credits;
  c->channel_received = c->frames_received = c->sdus_received = c->channel_sent = 0;
  c->receive_left = 0;
  c->credits_received = 0;
  c->channel_open = 1;
  put16(data, options.psm);
  put16(data + 2, c->local_cid);
  put16(data + 4, options.coc_mtu);
  put16(data + 6, options.coc_mps);
  put16(data + 8, credits);
  send_signal(c, 0x14, 1, data, 10);
  if (!WAIT_FOR(c->signal_answered, options.timeout_s) || c->signal_result) {
    log_line("CoC refused: result %d", c->signal_answered ? c->signal_result : -1);
    c->channel_open = 0;
    return -1;
  }
  return 0;
}

static void close_channel(struct connection *c) {
  uint8_t data[4];
  put16(data, c->remote_cid);
  put16(data + 2, c->local_cid);
  send_signal(c, 0x06, 3, data, 4);
  WAIT_FOR(!c->channel_open, 2);
  c->channel_open = 0;
  WAIT_FOR(0, 0.1);
}

static int frame_size(const struct connection *c) {
  return c->remote_mps < options.coc_mps ? c->remote_mps : options.coc_mps;
}

/* Sends one K-frame of an SDU of that length. The first K-frame carries the length. */
static void send_frame(struct connection *c, const uint8_t *payload, int sdu) {
  uint8_t frame[2100];
  int size = frame_size(c), offset = 0;
  if (size > 2000)
    size = 2000;
  if (c->send_left == 0) {
    c->send_left = sdu;
    put16(frame, sdu);
    offset = 2;
  }
  int count = size - offset;
  if (count > c->send_left)
    count = c->send_left;
  memcpy(frame + offset, payload, count);
  c->send_left -= count;
  c->send_credits--;
  c->channel_sent += count;
  send_l2cap(c, c->remote_cid, frame, offset + count);
}

static int choose_sdu(void) {
  int largest = connections[0].remote_mtu < 65000 ? connections[0].remote_mtu : 65000;
  return options.coc_sdu && options.coc_sdu < largest ? options.coc_sdu : largest;
}

/* Sends for the time of the phase, and then the rest of the last SDU. Returns how often a connection had no credits. */
static uint64_t stream_to_dut(const uint8_t *payload, int sdu, int echo) {
  uint64_t end = phase_started_at() + (uint64_t)(options.seconds * 1e9), starved = 0, progress_at = now_ns();
  while (!transport.dead) {
    int over = now_ns() >= end, inside_sdu = 0, has_credits = 0;
    for (int i = 0; i < options.connections; i++) {
      struct connection *c = &connections[i];
      while (c->channel_open && c->send_credits > 0 && can_send(300) && (!over || c->send_left)) {
        send_frame(c, payload, sdu);
        progress_at = now_ns();
      }
      if (c->send_left)
        inside_sdu = 1;
      if (c->send_credits <= 0)
        starved++;
      else
        has_credits = 1;
      if (echo)
        refill_credits(c);
    }
    if (over && !inside_sdu)
      break;
    transport.want_to_send = has_credits;
    int lost = pump(now_ns() + 10000000ull) < 0;
    transport.want_to_send = 0;
    if (lost)
      break;
    if (now_ns() - progress_at > 3000000000ull) {
      log_line("coc: no credits for 3 s");
      break;
    }
  }
  return starved;
}

struct received {
  uint64_t octets, frames, sdus;
};

static struct received sum_received(void) {
  struct received sum = {0};
  for (int i = 0; i < options.connections; i++) {
    sum.octets += connections[i].channel_received;
    sum.frames += connections[i].frames_received;
    sum.sdus += connections[i].sdus_received;
  }
  return sum;
}

static void stream_from_dut(void) {
  struct received before = sum_received();
  for (int i = 0; i < options.connections; i++)
    give_credits(&connections[i], options.coc_credits);
  phase_begin();
  uint64_t end = phase_started_at() + (uint64_t)(options.seconds * 1e9);
  while (now_ns() < end && pump(end) == 0) {
    for (int i = 0; i < options.connections; i++) {
      if (connections[i].channel_open)
        refill_credits(&connections[i]);
    }
  }
  double elapsed = (now_ns() - phase_started_at()) / 1e9;
  struct received after = sum_received();
  uint64_t frames = after.frames - before.frames, octets = after.octets - before.octets;
  phase_end("coc_from_dut", frames, "\"sdus\":%llu,\"rx_MBps\":%.3f,\"kframes_per_s\":%.0f,\"avg_kframe\":%.1f",
            (unsigned long long)(after.sdus - before.sdus), octets / elapsed / 1e6, frames / elapsed,
            frames ? (double)octets / frames : 0);
}

void phase_channel(void) {
  int echo = !strcmp(options.coc_mode, "echo");
  uint8_t payload[PAYLOAD], read[3] = {0x0a};
  for (int i = 0; i < PAYLOAD; i++)
    payload[i] = i;
  put16(read + 1, read_target ? read_target->value : 3);
  for (int i = 0; i < options.connections; i++) {
    if (open_channel(&connections[i], echo ? options.coc_credits : 0) < 0)
      return;
  }
  const struct connection *first = &connections[0];
  int sdu = choose_sdu();
  log_line("CoC open: peer mtu %u mps %u credits %d; sdu %d", first->remote_mtu, first->remote_mps, first->send_credits,
           sdu);

  phase_begin();
  uint64_t starved = stream_to_dut(payload, sdu, echo), sent = 0;
  for (int i = 0; i < options.connections; i++) {
    request(&connections[i], read, 3); /* its response shows that everything before it was taken */
    sent += connections[i].channel_sent;
  }
  double elapsed = (now_ns() - phase_started_at()) / 1e9;
  phase_end(echo ? "coc_echo" : "coc_to_dut", sent / 244.0,
            "\"sdu\":%d,\"mps\":%d,\"tx_bytes\":%llu,\"tx_MBps\":%.3f,\"rx_MBps\":%.3f,\"kframes_per_s\":%.0f,"
            "\"credits_rx\":%d,\"loops_without_credit\":%llu",
            sdu, first->remote_mps, (unsigned long long)sent, sent / elapsed / 1e6,
            sum_received().octets / elapsed / 1e6, sent / elapsed / frame_size(first), first->credits_received,
            (unsigned long long)starved);
  if (!strcmp(options.coc_mode, "stream"))
    stream_from_dut();
  for (int i = 0; i < options.connections; i++)
    close_channel(&connections[i]);
}
