/* The LE commands (Core 5.4 Vol 4 Part E 7.8). */
#include "controller.h"

#include <string.h>

enum { EVENT_MASK_DEFAULT = 0x1f };

static uint8_t le_features[8];
static uint8_t legacy_type;             /* of the legacy advertising parameters */
static uint8_t set_is_connectable[256]; /* by advertising handle */

void le_start(void) {
  controller.le_event_mask = EVENT_MASK_DEFAULT;
  le_features[0] = options.data_length ? 0xff : 0xdf;
  le_features[1] = 0x41 | (options.extended ? 0x10 : 0);
}

void le_reset(void) {
  controller.advertising = 0;
  controller.le_event_mask = EVENT_MASK_DEFAULT;
  memset(set_is_connectable, 0, sizeof set_is_connectable);
}

void set_advertising(int on, int extended, int handle) {
  controller.advertising = on;
  controller.extended_advertising = extended;
  controller.advertising_handle = handle;
  if (on && !controller.advertised_at)
    controller.advertised_at = now_ns();
  if (options.verbose && !controller.quiet)
    log_line("advertising %s (%s)", on ? "ON" : "off", extended ? "extended" : "legacy");
}

/* ---- commands, by subject; each function returns whether it had an answer ---- */

static void le_encrypt(uint16_t opcode, const uint8_t *a) {
  uint8_t key[16], plain[16], cipher[16], r[17] = {0};
  for (int i = 0; i < 16; i++) {
    key[i] = a[15 - i];
    plain[i] = a[31 - i];
  }
  aes_encrypt(key, plain, cipher);
  for (int i = 0; i < 16; i++)
    r[1 + i] = cipher[15 - i];
  complete(opcode, r, 17);
}

/* LE Read Local P-256 Public Key: answers with the debug key of Core 5.4 Vol 3 Part H 2.3.5.6.1, x then y, little
 * endian. */
static void le_public_key(uint16_t opcode) {
  static const uint8_t debug_key[64] = {0xe6, 0x9d, 0x35, 0x0e, 0x48, 0x01, 0x03, 0xcc, 0xdb, 0xfd, 0xf4, 0xac, 0x11,
                                        0x91, 0xf4, 0xef, 0xb9, 0xa5, 0xf9, 0xe9, 0xa7, 0x83, 0x2c, 0x5e, 0x2c, 0xbe,
                                        0x97, 0xf2, 0xd2, 0x03, 0xb0, 0x20, 0x8b, 0xd2, 0x89, 0x15, 0xd0, 0x8e, 0x1c,
                                        0x74, 0x24, 0x30, 0xed, 0x8f, 0xc2, 0x45, 0x63, 0x76, 0x5c, 0x15, 0x52, 0x5a,
                                        0xbf, 0x9a, 0x32, 0x63, 0x6d, 0xeb, 0x2a, 0x65, 0x49, 0x9c, 0x80, 0xdc};
  uint8_t r[65] = {0};
  command_status(opcode, 0);
  memcpy(r + 1, debug_key, 64);
  send_le_event(0x08, r, 65);
}

static int le_security(uint16_t opcode, const uint8_t *a) {
  struct connection *c;
  uint8_t r[33] = {0};
  switch (opcode) {
  case 0x2017: /* LE Encrypt */
    le_encrypt(opcode, a);
    return 1;
  case 0x2018: /* LE Rand */
    for (int i = 0; i < 8; i++)
      r[1 + i] = random_number();
    complete(opcode, r, 9);
    return 1;
  case 0x201a: /* LE Long Term Key Request Reply */
    c = connection_by_handle(get16(a));
    complete_handle(opcode, a, 3);
    if (c && c->up) {
      put16(r + 1, c->handle);
      r[3] = 1;
      send_event(0x08, r, 4);
    }
    return 1;
  case 0x201b: /* LE Long Term Key Request Negative Reply */
    complete_handle(opcode, a, 3);
    return 1;
  case 0x2025: /* LE Read Local P-256 Public Key */
    le_public_key(opcode);
    return 1;
  case 0x2026: /* LE Generate DHKey */
  case 0x205e: /* LE Generate DHKey [v2]; the key is not real, because nothing here completes a pairing */
    command_status(opcode, 0);
    for (int i = 0; i < 32; i++)
      r[1 + i] = a[i] ^ 0x5a;
    send_le_event(0x09, r, 33);
    return 1;
  }
  return 0;
}

static int le_link(uint16_t opcode, const uint8_t *a) {
  struct connection *c;
  uint8_t r[16] = {0};
  switch (opcode) {
  case 0x2013: /* LE Connection Update */
    c = link_status(opcode, a);
    if (c) {
      put16(r + 1, c->handle);
      put16(r + 3, get16(a + 4));
      put16(r + 5, get16(a + 6));
      put16(r + 7, get16(a + 8));
      send_le_event(0x03, r, 9);
    }
    return 1;
  case 0x2015: /* LE Read Channel Map */
    put16(r + 1, get16(a));
    memset(r + 3, 0xff, 4);
    r[7] = 0x1f;
    complete(opcode, r, 8);
    return 1;
  case 0x2016: /* LE Read Remote Features */
    c = link_status(opcode, a);
    if (c) {
      put16(r + 1, c->handle);
      memcpy(r + 3, le_features, 8);
      send_le_event(0x04, r, 11);
    }
    return 1;
  case 0x2020: /* LE Remote Connection Parameter Request Reply */
  case 0x2021: /* LE Remote Connection Parameter Request Negative Reply */
  case 0x2022: /* LE Set Data Length */
    complete_handle(opcode, a, 3);
    return 1;
  case 0x2030: /* LE Read PHY */
    put16(r + 1, get16(a));
    r[3] = r[4] = 2;
    complete(opcode, r, 5);
    return 1;
  case 0x2032: /* LE Set PHY: 2M both ways */
    c = link_status(opcode, a);
    if (c) {
      put16(r + 1, c->handle);
      r[3] = r[4] = 2;
      send_le_event(0x0c, r, 5);
    }
    return 1;
  }
  return 0;
}

/* Answers LE Set Extended Advertising Enable. */
static void le_extended_enable(uint16_t opcode, const uint8_t *a) {
  int on = 0, handle = 0;
  if (a[0]) {
    for (int i = 0; i < a[1] && !on; i++) {
      if (set_is_connectable[a[2 + 4 * i]]) {
        on = 1;
        handle = a[2 + 4 * i];
      }
    }
  }
  complete_status(opcode, 0);
  /* Without a set, disabling concerns all sets. */
  int concerns_us = a[0] ? on : (a[1] == 0 || controller.advertising_handle == a[2]);
  if (concerns_us)
    set_advertising(on, 1, handle);
}

static int le_advertising(uint16_t opcode, const uint8_t *a) {
  uint8_t r[8] = {0};
  int connectable;
  switch (opcode) {
  case 0x2006: /* LE Set Advertising Parameters */
    legacy_type = a[4];
    complete_status(opcode, 0);
    return 1;
  case 0x2007: /* LE Read Advertising Physical Channel Tx Power */
    complete_zeros(opcode, 2);
    return 1;
  case 0x200a: /* LE Set Advertising Enable */
    complete_status(opcode, 0);
    connectable = legacy_type == 0 || legacy_type == 1 || legacy_type == 4;
    set_advertising(a[0] && connectable, 0, 0);
    return 1;
  case 0x2036: /* LE Set Extended Advertising Parameters */
  case 0x207f: /* LE Set Extended Advertising Parameters [v2] */
    set_is_connectable[a[0]] = a[1] & 1;
    complete_zeros(opcode, 2);
    return 1;
  case 0x2039: /* LE Set Extended Advertising Enable */
    le_extended_enable(opcode, a);
    return 1;
  case 0x203a: /* LE Read Maximum Advertising Data Length */
    put16(r + 1, 1650);
    complete(opcode, r, 3);
    return 1;
  case 0x203b: /* LE Read Number Of Supported Advertising Sets */
  case 0x204a: /* LE Read Periodic Advertiser List Size */
    complete_octet(opcode, 8);
    return 1;
  }
  return 0;
}

static void set_le_event_mask(const uint8_t *a) {
  controller.le_event_mask = 0;
  for (int i = 7; i >= 0; i--)
    controller.le_event_mask = controller.le_event_mask << 8 | a[i];
}

static int le_information(uint16_t opcode, const uint8_t *a, int length) {
  uint8_t r[16] = {0};
  switch (opcode) {
  case 0x2001: /* LE Set Event Mask */
    if (length >= 8)
      set_le_event_mask(a);
    complete_status(opcode, 0);
    return 1;
  case 0x2002: /* LE Read Buffer Size */
    put16(r + 1, options.acl_length);
    r[3] = options.acl_number;
    complete(opcode, r, 4);
    return 1;
  case 0x2060: /* LE Read Buffer Size [v2] */
    put16(r + 1, options.acl_length);
    r[3] = options.acl_number;
    complete(opcode, r, 7);
    return 1;
  case 0x2003: /* LE Read Local Supported Features */
    memcpy(r + 1, le_features, 8);
    complete(opcode, r, 9);
    return 1;
  case 0x200d: /* LE Create Connection: a peripheral does not use it */
  case 0x2043: /* LE Extended Create Connection */
    command_status(opcode, DISALLOWED);
    return 1;
  case 0x200f: /* LE Read Filter Accept List Size */
  case 0x202a: /* LE Read Resolving List Size */
    complete_octet(opcode, 16);
    return 1;
  case 0x201c: /* LE Read Supported States */
    memset(r + 1, 0xff, 5);
    r[6] = 0x03;
    complete(opcode, r, 9);
    return 1;
  case 0x2023: /* LE Read Suggested Default Data Length */
    put16(r + 1, 251);
    put16(r + 3, 2120);
    complete(opcode, r, 5);
    return 1;
  case 0x202b: /* LE Read Peer Resolvable Address */
  case 0x202c: /* LE Read Local Resolvable Address */
    complete_zeros(opcode, 7);
    return 1;
  case 0x202f: /* LE Read Maximum Data Length */
    put16(r + 1, 251);
    put16(r + 3, 2120);
    put16(r + 5, 251);
    put16(r + 7, 2120);
    complete(opcode, r, 9);
    return 1;
  case 0x204b: /* LE Read Transmit Power: -20 to 8 dBm */
    r[1] = (uint8_t)-20;
    r[2] = 8;
    complete(opcode, r, 3);
    return 1;
  case 0x204c: /* LE Read RF Path Compensation */
    complete_zeros(opcode, 5);
    return 1;
  }
  return 0;
}

int le_command(uint16_t opcode, const uint8_t *a, int length) {
  return le_information(opcode, a, length) || le_advertising(opcode, a) || le_link(opcode, a) || le_security(opcode, a);
}
