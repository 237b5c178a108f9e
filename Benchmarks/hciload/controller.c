/* The controller answers HCI commands (Core 5.4 Vol 4 Part E 7) as if it had every feature that a peripheral host may
 * want. Commands for which it has no special answer succeed, so that a host's start-up never fails here. */
#include "controller.h"

#include <string.h>

struct controller controller;

static uint8_t supported_commands[64];
static const uint8_t public_address[6] = {0x66, 0x55, 0x44, 0x33, 0x22, 0xc1};

static void support(int octet, int first_bit, int last_bit) {
  for (int bit = first_bit; bit <= last_bit; bit++)
    supported_commands[octet] |= 1 << bit;
}

/* Fills the Supported Commands mask (Vol 4 Part E 6.27) with what receive_command answers. */
void controller_start(void) {
  support(0, 5, 5);
  support(2, 7, 7);
  support(5, 6, 7);
  support(14, 3, 3);
  support(14, 5, 5);
  support(14, 7, 7);
  support(15, 1, 1);
  support(15, 5, 5);
  support(22, 2, 2);
  support(24, 5, 6);
  if (options.host_flow_control)
    support(10, 5, 7);
  support(25, 0, 2);
  support(25, 4, 7);
  support(26, 0, 7);
  support(27, 0, 7);
  support(28, 0, 3);
  support(32, 4, 5);
  support(33, 4, 7);
  support(34, 0, 7);
  support(35, 0, 6);
  if (options.extended) {
    support(36, 1, 7);
    support(37, 0, 1);
    support(37, 5, 6);
  }
  support(38, 7, 7);
  support(39, 2, 2);
  support(41, 5, 5);
  le_start();
}

/* ---- answers ---- */

void complete(uint16_t opcode, const void *parameters, int length) {
  uint8_t event[256];
  event[0] = 1;
  put16(event + 1, opcode);
  memcpy(event + 3, parameters, length);
  send_event(0x0e, event, length + 3);
}

void complete_status(uint16_t opcode, uint8_t status) {
  complete(opcode, &status, 1);
}

void complete_zeros(uint16_t opcode, int length) {
  uint8_t zeros[256] = {0};
  complete(opcode, zeros, length);
}

void complete_handle(uint16_t opcode, const uint8_t *a, int length) {
  uint8_t r[256] = {0};
  put16(r + 1, get16(a));
  complete(opcode, r, length);
}

void complete_octet(uint16_t opcode, uint8_t octet) {
  uint8_t r[2] = {0, octet};
  complete(opcode, r, 2);
}

void command_status(uint16_t opcode, uint8_t status) {
  uint8_t event[4] = {status, 1, opcode, opcode >> 8};
  send_event(0x0f, event, 4);
}

struct connection *link_status(uint16_t opcode, const uint8_t *a) {
  struct connection *c = connection_by_handle(get16(a));
  int up = c && c->up;
  command_status(opcode, up ? 0 : UNKNOWN_CONNECTION);
  return up ? c : NULL;
}

/* ---- commands, by group; each function returns whether it had an answer ---- */

static void reset(void) {
  controller.flow_control = 0;
  le_reset();
  forget_completed();
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    connections[i].up = 0;
}

static int link_control(uint16_t opcode, const uint8_t *a) {
  struct connection *c;
  uint8_t r[8] = {0};
  switch (opcode) {
  case 0x0406: /* Disconnect */
    c = link_status(opcode, a);
    if (!c)
      return 1;
    c->up = 0;
    put16(r + 1, c->handle);
    r[3] = 0x16; /* by the local host */
    send_event(0x05, r, 4);
    if (options.verbose)
      log_line("DUT disconnected handle %04x", c->handle);
    return 1;
  case 0x041d: /* Read Remote Version Information */
    c = link_status(opcode, a);
    if (c) {
      put16(r + 1, c->handle);
      r[3] = 0x0c;
      put16(r + 4, 0xffff);
      put16(r + 6, 1);
      send_event(0x0c, r, 8);
    }
    return 1;
  }
  return 0;
}

static int controller_and_baseband(uint16_t opcode, const uint8_t *a) {
  uint8_t r[256] = {0};
  switch (opcode) {
  case 0x0c01: /* Set Event Mask: every mask allows what hciload sends */
    complete_status(opcode, 0);
    return 1;
  case 0x0c03: /* Reset */
    reset();
    complete_status(opcode, 0);
    return 1;
  case 0x0c14: /* Read Local Name */
    strcpy((char *)r + 1, "hciload");
    complete(opcode, r, 249);
    return 1;
  case 0x0c23: /* Read Class Of Device */
  case 0x0c2d: /* Read Transmit Power Level */
    complete_zeros(opcode, 4);
    return 1;
  case 0x0c25: /* Read Voice Setting */
    r[1] = 0x60;
    complete(opcode, r, 3);
    return 1;
  case 0x0c1b: /* Read Page Scan Activity */
  case 0x0c1d: /* Read Inquiry Scan Activity */
    complete_zeros(opcode, 5);
    return 1;
  case 0x0c19: /* Read Scan Enable */
  case 0x0c1f: /* Read Authentication Enable */
  case 0x0c58: /* Read Inquiry Response Transmit Power Level */
    complete_zeros(opcode, 2);
    return 1;
  case 0x0c6c: /* Read LE Host Support */
    r[1] = 1;
    complete(opcode, r, 3);
    return 1;
  case 0x0c7b: /* Read Authenticated Payload Timeout */
    put16(r + 1, get16(a));
    put16(r + 3, 3000);
    complete(opcode, r, 5);
    return 1;
  case 0x0c7c: /* Write Authenticated Payload Timeout */
    complete_handle(opcode, a, 3);
    return 1;
  case 0x0c31: /* Set Controller To Host Flow Control */
    controller.flow_control = a[0] & 1;
    complete_status(opcode, 0);
    return 1;
  case 0x0c33: /* Host Buffer Size */
    controller.flow_total = controller.flow_credits = get16(a + 3);
    complete_status(opcode, 0);
    return 1;
  case 0x0c35: /* Host Number Of Completed Packets: the one command without an answer */
    for (int i = 0; i < a[0]; i++)
      controller.flow_credits += get16(a + 1 + 4 * i + 2);
    return 1;
  }
  return 0;
}

static int informational(uint16_t opcode, const uint8_t *a, int length) {
  uint8_t r[256] = {0};
  switch (opcode) {
  case 0x1001: /* Read Local Version Information */
    r[1] = 0x0c;
    put16(r + 2, 1);
    r[4] = 0x0c;
    put16(r + 5, 0xffff);
    put16(r + 7, 1);
    complete(opcode, r, 9);
    return 1;
  case 0x1002: /* Read Local Supported Commands */
    memcpy(r + 1, supported_commands, 64);
    complete(opcode, r, 65);
    return 1;
  case 0x1003: /* Read Local Supported Features: LE, no BR/EDR */
    r[5] = 0x60;
    complete(opcode, r, 9);
    return 1;
  case 0x1004: /* Read Local Extended Features */
    r[1] = length ? a[0] : 0;
    r[2] = 1;
    if (r[1] == 0)
      r[7] = 0x60;
    else
      r[3] = 0x02;
    complete(opcode, r, 11);
    return 1;
  case 0x1005: /* Read Buffer Size */
    put16(r + 1, options.acl_length);
    put16(r + 4, options.acl_number);
    complete(opcode, r, 8);
    return 1;
  case 0x1009: /* Read BD_ADDR */
    memcpy(r + 1, public_address, 6);
    complete(opcode, r, 7);
    return 1;
  case 0x100b: /* Read Data Block Size */
    complete_zeros(opcode, 3);
    return 1;
  case 0x1405: /* Read RSSI */
    put16(r + 1, get16(a));
    r[3] = 0xd0;
    complete(opcode, r, 4);
    return 1;
  }
  return 0;
}

/* Answers the commands that no function above knows: vendor commands with an error, link commands with a Command
 * Status, and all others with success. */
static void default_answer(uint16_t opcode) {
  int group = opcode >> 10;
  if (group == 0x3f)
    complete_status(opcode, UNKNOWN_COMMAND);
  else if (group == 1)
    command_status(opcode, UNKNOWN_COMMAND);
  else if (group == 2)
    command_status(opcode, 0);
  else
    complete_status(opcode, 0);
  if (options.verbose)
    log_line("default answer for opcode %04x", opcode);
}

void receive_command(const uint8_t *packet) {
  uint16_t opcode = get16(packet);
  int length = packet[2];
  const uint8_t *a = packet + 3;
  controller.commands++;
  if (options.trace)
    log_octets("H>C", packet - 1, length + 4);
  if (link_control(opcode, a) || controller_and_baseband(opcode, a) || informational(opcode, a, length))
    return;
  if (le_command(opcode, a, length))
    return;
  default_answer(opcode);
}
