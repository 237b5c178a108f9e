/* Inside the controller: its parts, and the answers that commands share. Parameters are `a`, return parameters `r`. */
#ifndef HCILOAD_CONTROLLER_H
#define HCILOAD_CONTROLLER_H

#include "hciload.h"

enum { UNKNOWN_COMMAND = 0x01, UNKNOWN_CONNECTION = 0x02, DISALLOWED = 0x0c };

/* ---- answers, in controller.c ---- */

/* Sends a Command Complete with these return parameters. */
void complete(uint16_t opcode, const void *parameters, int length);

/* Sends a Command Complete with only a status. */
void complete_status(uint16_t opcode, uint8_t status);

/* Sends a Command Complete with status 0 and zeros, `length` octets in all. */
void complete_zeros(uint16_t opcode, int length);

/* Sends a Command Complete with status 0, the connection handle of the command, and zeros, `length` octets in all. */
void complete_handle(uint16_t opcode, const uint8_t *a, int length);

/* Sends a Command Complete with status 0 and one octet. */
void complete_octet(uint16_t opcode, uint8_t octet);

/* Sends a Command Status. */
void command_status(uint16_t opcode, uint8_t status);

/* Sends a Command Status for a command about a link. Returns the link if it is up, else NULL. */
struct connection *link_status(uint16_t opcode, const uint8_t *a);

/* ---- controller_le.c ---- */

void le_start(void);
/* Goes back to the state after a reset. */
void le_reset(void);
/* Answers a command of the LE group (Core 5.4 Vol 4 Part E 7.8). Returns whether it had an answer. */
int le_command(uint16_t opcode, const uint8_t *a, int length);

#endif
