/* The ATT phases, and the list of all phases. */
#define _GNU_SOURCE
#include "hciload.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void sort(double *values, int count) {
  qsort(values, count, sizeof *values, compare_doubles);
}

/* Returns the q-quantile of sorted values, or 0. */
static double quantile(const double *values, int count, double q) {
  int index = (int)(q * count);
  if (!count)
    return 0;
  return values[index < count ? index : count - 1];
}

static double smallest(const double *values, int count) {
  return count ? values[0] : 0;
}

static double largest(const double *values, int count) {
  return count ? values[count - 1] : 0;
}

static double seconds_since_begin(void) {
  return (now_ns() - phase_started_at()) / 1e9;
}

static int has_stalled(uint64_t progress_at) {
  return now_ns() - progress_at > (uint64_t)options.timeout_s * 1000000000ull;
}

/* ---- requests, one outstanding on each connection ---- */

struct sequence {
  const char *name;
  uint8_t pdu[23];
  int length;
  uint8_t response; /* the opcode of a good response */
};

static int warm_up(const struct sequence *sequence, int count) {
  for (int i = 0; i < 200 && i < count; i++) {
    if (request(&connections[0], sequence->pdu, sequence->length) < 0) {
      log_line("%s: warm-up failed", sequence->name);
      return -1;
    }
  }
  return 0;
}

static void run_sequence(const struct sequence *sequence, int count) {
  double *latency = malloc(sizeof(double) * (count + MAX_CONNECTIONS));
  int done = 0, issued = 0, errors = 0, response_length = 0, in_flight[MAX_CONNECTIONS] = {0};
  if (warm_up(sequence, count) < 0) {
    free(latency);
    return;
  }
  phase_begin();
  uint64_t progress_at = now_ns();
  while (done < count && !transport.dead) {
    for (int i = 0; i < options.connections; i++) {
      struct connection *c = &connections[i];
      if (!c->up)
        continue;
      if (in_flight[i] && !c->waiting) {
        in_flight[i] = 0;
        latency[done++] = (c->answered_at - c->asked_at) / 1e3;
        progress_at = c->answered_at;
        response_length = c->response_length;
        if (c->response[0] != sequence->response)
          errors++;
      }
      int has_credits = !controller.flow_control || controller.flow_credits > 0;
      if (!in_flight[i] && issued < count && has_credits) {
        send_request(c, sequence->pdu, sequence->length);
        in_flight[i] = 1;
        issued++;
      }
    }
    if (done >= count || pump(now_ns() + 1000000000ull) < 0)
      break;
    if (has_stalled(progress_at)) {
      log_line("%s: stalled at %d", sequence->name, done);
      break;
    }
  }
  double elapsed = seconds_since_begin();
  sort(latency, done);
  phase_end(sequence->name, done,
            "\"n\":%d,\"errors\":%d,\"rsp_len\":%d,\"per_s\":%.0f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,"
            "\"p999_us\":%.1f,\"max_us\":%.1f,\"min_us\":%.1f",
            done, errors, response_length, done / elapsed, quantile(latency, done, .5), quantile(latency, done, .9),
            quantile(latency, done, .99), quantile(latency, done, .999), largest(latency, done),
            smallest(latency, done));
  free(latency);
}

static void phase_read(void) {
  if (!read_target)
    return;
  struct sequence sequence = {.name = "att_read", .pdu = {0x0a}, .length = 3, .response = 0x0b};
  put16(sequence.pdu + 1, read_target->value);
  run_sequence(&sequence, options.reads);
}

static void phase_write(void) {
  const struct characteristic *target = choose_write_request_target();
  if (!target) {
    log_line("no writable characteristic");
    return;
  }
  struct sequence sequence = {.name = "att_write", .pdu = {0x12}, .length = 23, .response = 0x13};
  put16(sequence.pdu + 1, target->value);
  memset(sequence.pdu + 3, 0x41, 20);
  run_sequence(&sequence, options.reads);
}

/* ---- the other phases ---- */

static void phase_discovery(void) {
  double *latency = malloc(sizeof(double) * (options.discoveries + 1));
  int done = 0, requests = 0;
  phase_begin();
  for (; done < options.discoveries; done++) {
    uint64_t asked_at = now_ns();
    int made = discover(&connections[0]);
    if (made < 0) {
      log_line("discovery failed");
      break;
    }
    requests += made;
    latency[done] = (now_ns() - asked_at) / 1e3;
  }
  sort(latency, done);
  phase_end("discovery", requests,
            "\"n\":%d,\"services\":%d,\"characteristics\":%d,\"descriptors\":%d,\"requests_each\":%d,\"p50_us\":%.0f,"
            "\"p99_us\":%.0f,\"max_us\":%.0f,\"req_per_s\":%.0f",
            done, database.services, database.characteristics, database.descriptors, database.requests,
            quantile(latency, done, .5), quantile(latency, done, .99), largest(latency, done),
            requests / seconds_since_begin());
  free(latency);
}

/* Sends Write Commands as fast as the DUT takes them, then a read on each connection that shows all were taken. */
static void phase_write_command(void) {
  if (!write_target) {
    log_line("no write-without-response characteristic");
    return;
  }
  uint8_t pdu[600] = {0x52}, read[3] = {0x0a};
  int length = options.write_length;
  if (length > connections[0].mtu - 3)
    length = connections[0].mtu - 3;
  put16(pdu + 1, write_target->value);
  for (int i = 0; i < length; i++)
    pdu[3 + i] = i;
  put16(read + 1, read_target ? read_target->value : 3);

  phase_begin();
  int sent = 0, turn = 0;
  uint64_t progress_at = now_ns();
  while (sent < options.writes && !transport.dead) {
    while (sent < options.writes && can_send(length + 12)) {
      struct connection *c = &connections[turn++ % options.connections];
      if (!c->up) {
        transport.dead = 1;
        break;
      }
      send_l2cap(c, CID_ATT, pdu, length + 3);
      sent++;
      progress_at = now_ns();
    }
    transport.want_to_send = sent < options.writes;
    int lost = pump(now_ns() + 100000000ull) < 0;
    transport.want_to_send = 0;
    if (lost)
      break;
    if (has_stalled(progress_at)) {
      log_line("write_cmd stalled at %d", sent);
      break;
    }
  }
  int all_taken = 1;
  for (int i = 0; i < options.connections; i++) {
    WAIT_FOR(!controller.flow_control || controller.flow_credits > 0, 2);
    if (request(&connections[i], read, 3) < 0)
      all_taken = 0;
  }
  double elapsed = seconds_since_begin();
  phase_end("write_cmd", sent, "\"n\":%d,\"len\":%d,\"per_s\":%.0f,\"MBps\":%.3f,\"barrier\":%s", sent, length,
            sent / elapsed, sent / elapsed * length / 1e6, all_taken ? "true" : "false");
}

static void sum_notifications(uint64_t *count, uint64_t *octets) {
  *count = *octets = 0;
  for (int i = 0; i < options.connections; i++) {
    *count += connections[i].notifications;
    *octets += connections[i].notified_octets;
  }
}

static void pump_for(double seconds) {
  uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  while (now_ns() < end && pump(end) == 0) {
  }
}

/* Subscribes on every connection and counts what the DUT streams. */
static void phase_notify(void) {
  if (!notify_target || !notify_target->cccd) {
    log_line("no notify characteristic");
    return;
  }
  uint8_t pdu[5] = {0x12, 0, 0, 1, 0};
  put16(pdu + 1, notify_target->cccd);
  for (int i = 0; i < options.connections; i++) {
    struct connection *c = &connections[i];
    if (request(c, pdu, 5) < 0 || c->response[0] != 0x13)
      log_line("subscribe failed on %d (%02x %02x)", i, c->response[0], c->response[4]);
  }
  pump_for(0.2); /* until the stream is at full speed */

  uint64_t count_before, octets_before, count, octets, acl_before = transport.acl_received;
  sum_notifications(&count_before, &octets_before);
  phase_begin();
  pump_for(options.seconds);
  double elapsed = seconds_since_begin();
  sum_notifications(&count, &octets);
  count -= count_before;
  octets -= octets_before;
  phase_end("notify", count, "\"n\":%llu,\"per_s\":%.0f,\"avg_len\":%.1f,\"MBps\":%.3f,\"acl_per_s\":%.0f",
            (unsigned long long)count, count / elapsed, count ? (double)octets / count : 0, octets / elapsed / 1e6,
            (transport.acl_received - acl_before) / elapsed);

  pdu[3] = 0;
  for (int i = 0; i < options.connections; i++)
    request(&connections[i], pdu, 5);
  pump_for(0.2);
}

static void phase_idle(void) {
  uint64_t commands = controller.commands, acl = transport.acl_received;
  phase_begin();
  pump_for(options.seconds);
  phase_end("idle", 0, "\"hci_cmds\":%llu,\"acl\":%llu", (unsigned long long)(controller.commands - commands),
            (unsigned long long)(transport.acl_received - acl));
}

static void phase_reconnect(void) {
  double *latency = malloc(sizeof(double) * (options.reconnections + 1));
  int done = 0;
  controller.quiet = 1;
  phase_begin();
  for (; done < options.reconnections && !transport.dead; done++) {
    uint64_t began_at = now_ns();
    disconnect_link(0);
    if (connect_link(0) < 0)
      break;
    latency[done] = (now_ns() - began_at) / 1e3;
  }
  sort(latency, done);
  phase_end("reconnect", done, "\"n\":%d,\"p50_us\":%.0f,\"p99_us\":%.0f,\"max_us\":%.0f", done,
            quantile(latency, done, .5), quantile(latency, done, .99), largest(latency, done));
  free(latency);
}

static const struct {
  const char *name;
  void (*run)(void);
} phases[] = {
    {"discovery", phase_discovery}, {"att_read", phase_read},
    {"att_write", phase_write},     {"write_cmd", phase_write_command},
    {"notify", phase_notify},       {"l2cap_coc", phase_channel},
    {"idle", phase_idle},           {"reconnect", phase_reconnect},
    {"malformed", phase_malformed},
};

void run_phases(const char *list) {
  enum { COUNT = sizeof phases / sizeof phases[0] };
  char *copy = strdup(list), *rest;
  for (char *name = strtok_r(copy, ",", &rest); name && !transport.dead; name = strtok_r(NULL, ",", &rest)) {
    int i = 0;
    while (i < COUNT && strcmp(name, phases[i].name))
      i++;
    if (i < COUNT)
      phases[i].run();
    else
      log_line("unknown phase %s", name);
  }
  free(copy);
}
