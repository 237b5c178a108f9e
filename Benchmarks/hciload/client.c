/* The ATT client: requests, one at a time; discovery; and the choice of the characteristics that the phases use. */
#include "hciload.h"

#include <stdio.h>
#include <string.h>

struct database database;

static struct characteristic read_copy, notify_copy, write_copy;
struct characteristic *read_target, *notify_target, *write_target;

void send_request(struct connection *c, const uint8_t *pdu, int length) {
  c->waiting = 1;
  c->response_length = 0;
  c->asked_at = now_ns();
  send_l2cap(c, CID_ATT, pdu, length);
}

int request(struct connection *c, const uint8_t *pdu, int length) {
  send_request(c, pdu, length);
  if (!WAIT_FOR(!c->waiting || !c->up, options.timeout_s)) {
    c->waiting = 0;
    return -1;
  }
  return c->up && !transport.dead ? c->response_length : -1;
}

/* ---- discovery, as a central does it: Core 5.4 Vol 3 Part G 4.4.1, 4.6.1 and 4.7.1 ---- */

/* Requests a range of handles and, if `type` is not 0, an attribute type. Returns the response's length, or -1. */
static int request_range(struct connection *c, uint8_t opcode, int start, int end, uint16_t type) {
  uint8_t pdu[7] = {opcode};
  put16(pdu + 1, start);
  put16(pdu + 3, end);
  put16(pdu + 5, type);
  database.requests++;
  return request(c, pdu, type ? 7 : 5);
}

static int discover_services(struct connection *c) {
  int start = 1;
  while (start <= 0xffff && database.services < MOST_SERVICES) {
    int n = request_range(c, 0x10, start, 0xffff, 0x2800); /* Read By Group Type */
    if (n < 0)
      return -1;
    if (c->response[0] != 0x11 || n < 2 || c->response[1] < 6)
      break;
    int length = c->response[1];
    for (int i = 2; i + length <= n && database.services < MOST_SERVICES; i += length) {
      const uint8_t *entry = c->response + i;
      int s = database.services++;
      database.service[s].start = get16(entry);
      database.service[s].end = get16(entry + 2);
      database.service[s].uuid = length == 6 ? get16(entry + 4) : 0;
    }
    start = database.service[database.services - 1].end + 1;
  }
  return 0;
}

static void add_characteristic(const uint8_t *entry, int length, uint16_t service) {
  struct characteristic *added = &database.characteristic[database.characteristics++];
  memset(added, 0, sizeof *added);
  added->declaration = get16(entry);
  added->properties = entry[2];
  added->value = get16(entry + 3);
  added->uuid_length = length - 5;
  added->service = service;
  memcpy(added->uuid, entry + 5, added->uuid_length > 16 ? 16 : added->uuid_length);
}

static int discover_characteristics(struct connection *c, int service) {
  int start = database.service[service].start, end = database.service[service].end;
  while (start <= end && database.characteristics < MOST_CHARACTERISTICS) {
    int n = request_range(c, 0x08, start, end, 0x2803); /* Read By Type */
    if (n < 0)
      return -1;
    if (c->response[0] != 0x09 || n < 2 || c->response[1] < 7)
      break;
    int length = c->response[1];
    for (int i = 2; i + length <= n && database.characteristics < MOST_CHARACTERISTICS; i += length)
      add_characteristic(c->response + i, length, database.service[service].uuid);
    start = database.characteristic[database.characteristics - 1].value + 1;
  }
  return 0;
}

static int discover_descriptors(struct connection *c, struct characteristic *of) {
  int start = of->value + 1;
  while (start <= of->end) {
    int n = request_range(c, 0x04, start, of->end, 0); /* Find Information */
    if (n < 0)
      return -1;
    if (c->response[0] != 0x05 || n < 6)
      break;
    int length = c->response[1] == 1 ? 4 : 18;
    uint16_t last = 0;
    for (int i = 2; i + length <= n; i += length) {
      const uint8_t *entry = c->response + i;
      last = get16(entry);
      database.descriptors++;
      if (length == 4 && get16(entry + 2) == 0x2902)
        of->cccd = last;
    }
    if (!last)
      break;
    start = last + 1;
  }
  return 0;
}

int discover(struct connection *c) {
  database.services = database.characteristics = database.descriptors = database.requests = 0;
  if (discover_services(c) < 0)
    return -1;
  for (int s = 0; s < database.services; s++) {
    int first = database.characteristics;
    if (discover_characteristics(c, s) < 0)
      return -1;
    for (int i = first; i < database.characteristics; i++) {
      struct characteristic *found = &database.characteristic[i];
      int is_last = i + 1 == database.characteristics;
      found->end = is_last ? database.service[s].end : database.characteristic[i + 1].declaration - 1;
      if (discover_descriptors(c, found) < 0)
        return -1;
    }
  }
  return database.requests;
}

/* ---- choosing ---- */

/* Returns whether a full UUID, least significant octet first, is a 16-bit UUID on the Bluetooth Base UUID. */
static int is_short_form(const uint8_t full[16], const uint8_t uuid16[2]) {
  static const uint8_t base[12] = {0xfb, 0x34, 0x9b, 0x5f, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00};
  return !memcmp(full, base, 12) && !memcmp(full + 12, uuid16, 2) && !full[14] && !full[15];
}

static int has_uuid(const struct characteristic *candidate, const struct uuid *uuid) {
  if (candidate->uuid_length == uuid->length)
    return !memcmp(candidate->uuid, uuid->octets, uuid->length);
  if (candidate->uuid_length == 16 && uuid->length == 2)
    return is_short_form(candidate->uuid, uuid->octets);
  if (candidate->uuid_length == 2 && uuid->length == 16)
    return is_short_form(uuid->octets, candidate->uuid);
  return 0;
}

/* Returns whether it belongs to the GAP or the GATT service, which every device has. */
static int is_generic(const struct characteristic *candidate) {
  return candidate->service == 0x1800 || candidate->service == 0x1801;
}

/* Returns the named characteristic, or the first one with the property. Characteristics of the generic services come
 * last, and only for reading. */
static struct characteristic *choose(const struct uuid *uuid, int property, int needs_cccd) {
  struct characteristic *generic = NULL;
  for (int i = 0; i < database.characteristics; i++) {
    struct characteristic *candidate = &database.characteristic[i];
    if (!(candidate->properties & property))
      continue;
    if (uuid->given) {
      if (has_uuid(candidate, uuid))
        return candidate;
      continue;
    }
    if (needs_cccd && !candidate->cccd)
      continue;
    if (!is_generic(candidate))
      return candidate;
    if (!generic && !needs_cccd)
      generic = candidate;
  }
  return generic;
}

static struct characteristic *keep(struct characteristic *copy, const struct characteristic *chosen) {
  if (!chosen)
    return NULL;
  *copy = *chosen;
  return copy;
}

void choose_targets(void) {
  read_target = keep(&read_copy, choose(&options.read_uuid, PROPERTY_READ, 0));
  notify_target = keep(&notify_copy, choose(&options.notify_uuid, PROPERTY_NOTIFY, 1));
  write_target = keep(&write_copy, choose(&options.write_uuid, PROPERTY_WRITE_COMMAND, 0));
}

const struct characteristic *choose_write_request_target(void) {
  const struct characteristic *chosen = NULL;
  for (int i = 0; i < database.characteristics; i++) {
    const struct characteristic *candidate = &database.characteristic[i];
    if (!(candidate->properties & PROPERTY_WRITE) || is_generic(candidate))
      continue;
    if (!chosen || (options.write_uuid.given && has_uuid(candidate, &options.write_uuid)))
      chosen = candidate;
  }
  return chosen;
}

static const char *uuid_text(const struct characteristic *of, char text[40]) {
  if (!of)
    return "none";
  char *end = text;
  for (int i = of->uuid_length - 1; i >= 0; i--)
    end += sprintf(end, "%02x", of->uuid[i]);
  return text;
}

void describe_targets(void) {
  char read[40], notify[40], write[40];
  log_line("mtu %d, %d services, %d characteristics, %d descriptors, %d requests; read %s notify %s write_cmd %s; "
           "host flow control %s",
           connections[0].mtu, database.services, database.characteristics, database.descriptors, database.requests,
           uuid_text(read_target, read), uuid_text(notify_target, notify), uuid_text(write_target, write),
           controller.flow_control ? "on" : "off");
}
