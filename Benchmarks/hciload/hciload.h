/* hciload: an HCI controller and a remote LE central in one process, to load and stress any peripheral host.
 *
 * The host under test ("the DUT") speaks H4 with hciload over TCP, a Unix stream socket or a pty. hciload answers its
 * commands as a controller would, connects to it as soon as it advertises, and then runs phases over that link. Each
 * phase prints one JSON line with the throughput, the latency and the CPU time that the DUT used. Everything happens in
 * one thread around one non-blocking descriptor (`pump`), so that hciload's own share of a pinned core stays small and
 * constant.
 *
 *   options.c     the command line                    measure.c     the DUT's CPU time and memory, the JSON lines
 *   support.c     time, log, random numbers           client.c      ATT requests, discovery
 *   aes.c         the block cipher of LE Encrypt      connection.c  connecting and disconnecting
 *   transport.c   H4 packets out and in, pump         phases.c      the ATT phases
 *   endpoint.c    the socket or pty, the DUT process  channel.c     the L2CAP channel phase
 *   controller.c, controller_le.c  HCI commands       malformed.c   the malformed phase
 *   link.c        incoming ACL, L2CAP, signalling     main.c        the order of everything
 */
#ifndef HCILOAD_H
#define HCILOAD_H

#include <stdint.h>
#include <sys/types.h>

enum { MAX_CONNECTIONS = 20, FIRST_HANDLE = 0x0040 };
enum { CID_ATT = 0x0004, CID_SIGNALLING = 0x0005, CID_SMP = 0x0006 };
enum { H4_COMMAND = 1, H4_ACL = 2, H4_EVENT = 4 };
enum { PROPERTY_READ = 0x02, PROPERTY_WRITE_COMMAND = 0x04, PROPERTY_WRITE = 0x08, PROPERTY_NOTIFY = 0x10 };

/* ---- options.c ---- */

struct uuid {
  uint8_t octets[16]; /* least significant first */
  int length;         /* 2 or 16 */
  int given;          /* whether the command line named one */
};

struct options {
  /* Transport. */
  int tcp; /* port, 0 for any, -1 for none */
  const char *unix_path;
  int pty;
  const char *pty_link;
  long uart_bps; /* both directions are paced as by a UART of this rate; 0 for no pacing */
  /* The DUT. */
  int pid; /* of a DUT that is already running */
  const char *dut_log;
  int keep;
  int cpu, dut_cpu; /* cores to pin to, -1 for none */
  /* The controller. */
  int acl_length, acl_number;
  int extended, enhanced, data_length, host_flow_control, batch_completed;
  /* The central. */
  int connections, mtu, connection_delay_us, timeout_s;
  struct uuid read_uuid, notify_uuid, write_uuid;
  int psm, coc_mtu, coc_mps, coc_sdu, coc_credits;
  const char *coc_mode;
  /* The phases. */
  const char *phases, *label;
  double seconds;
  int reads, discoveries, writes, write_length, reconnections;
  int malformed, malformed_check;
  const char *malformed_classes;
  uint32_t seed;
  /* How to run. */
  int spin, verbose, trace;
};

extern struct options options;

/* Fills `options`. Returns the index of the DUT's command in argv, or argc when there is none. Exits on wrong usage. */
int parse_options(int argc, char **argv);

/* ---- support.c ---- */

/* Returns the monotonic time in nanoseconds. */
uint64_t now_ns(void);
/* Starts the clock that log lines show. */
void start_clock(void);
/* Writes one line to stderr, with the time since start_clock before it. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the first octets of a packet to stderr, in hexadecimal. */
void log_octets(const char *direction, const uint8_t *octets, int length);
/* Writes the reason to stderr, kills the DUT and exits. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Returns the next random number. The sequence depends only on the seed. */
uint32_t random_number(void);
void seed_random(uint32_t seed);

static inline uint16_t get16(const uint8_t *p) {
  return p[0] | p[1] << 8;
}

static inline void put16(uint8_t *p, uint16_t value) {
  p[0] = value;
  p[1] = value >> 8;
}

/* ---- aes.c ---- */

/* Builds the table and checks one test vector of FIPS 197. */
void aes_start(void);
/* Encrypts one block, most significant octet first. */
void aes_encrypt(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]);

/* ---- connection state, shared by all ---- */

struct connection {
  int up;
  uint16_t handle;
  uint64_t up_at;
  /* L2CAP recombination. */
  uint8_t received[65544];
  int received_length, expected_length;
  /* ATT: one request at a time. */
  int mtu;
  int waiting; /* for a response */
  /* Returns whether the response is the one that is waited for; NULL accepts the first. One read may bring several. */
  int (*wanted)(const struct connection *);
  uint8_t response[1024];
  int response_length;
  uint64_t asked_at, answered_at;
  uint64_t notifications, notified_octets, indications;
  /* One LE credit-based channel. */
  int channel_open;
  uint16_t local_cid, remote_cid, remote_mtu, remote_mps;
  int send_credits, receive_credits, credits_received;
  int send_left;         /* octets of the outgoing SDU that are not sent yet */
  uint32_t receive_left; /* octets of the incoming SDU that are missing */
  uint64_t channel_received, frames_received, sdus_received, channel_sent;
  int signal_answered;
  uint16_t signal_result;
};

extern struct connection connections[MAX_CONNECTIONS];

/* ---- transport.c ---- */

struct transport {
  int fd;
  int dead;             /* the DUT or its transport is gone */
  double ns_per_octet;  /* when paced as a UART, else 0 */
  uint64_t first_octet; /* when the DUT's first octet arrived */
  int want_to_send;     /* a streaming phase has more: do not sleep when the output is empty */
  uint64_t acl_received, acl_sent, events_sent, write_calls, read_calls;
};

extern struct transport transport;

/* Makes room for `length` octets at the end of the output, which the caller fills. */
uint8_t *transmit_room(int length);
/* Returns how many octets of output wait. */
int transmit_pending(void);
/* Returns whether the output has room for `length` octets and the DUT has credits for another ACL packet. */
int can_send(int length);
/* Does one turn: writes, waits until `deadline` at most, reads, handles all packets. Returns -1 if the DUT is lost. */
int pump(uint64_t deadline);

/* Pumps until `condition` is true, at most for `seconds`. Returns whether it became true. */
#define WAIT_FOR(condition, seconds)                                                                                   \
  ({                                                                                                                   \
    uint64_t end_ = now_ns() + (uint64_t)((seconds)*1e9);                                                              \
    while (!(condition) && now_ns() < end_ && pump(end_) == 0) {                                                       \
    }                                                                                                                  \
    !!(condition);                                                                                                     \
  })

void send_event(uint8_t code, const void *parameters, int length);
void send_le_event(uint8_t subevent, const void *parameters, int length);
/* Sends one L2CAP B-frame, cut into ACL fragments. */
void send_l2cap(struct connection *c, uint16_t cid, const uint8_t *payload, int length);
/* Sends one command on the LE signalling channel. */
void send_signal(struct connection *c, uint8_t code, uint8_t identifier, const uint8_t *data, int length);

/* ---- endpoint.c ---- */

/* Makes the listening socket or the pty. */
void open_endpoint(void);
/* Runs the DUT, with {} in its arguments replaced by the endpoint's port or path. */
void spawn_dut(char **arguments, int count);
/* Waits for the DUT to connect. */
void accept_dut(void);
void pin_to_core(int core);
/* Checks whether the DUT has exited. Returns transport.dead. */
int check_dut(void);
/* Ends a DUT that hciload started. */
void stop_dut(void);
void kill_dut(void);
/* Returns the DUT's process, or 0 when it is not known. */
pid_t dut_pid(void);
/* Returns when the DUT was started, or 0. */
uint64_t dut_spawned_at(void);

/* ---- controller.c ---- */

struct controller {
  int advertising, extended_advertising, advertising_handle;
  uint64_t advertised_at; /* the first time */
  int commands;
  uint64_t le_event_mask;
  int flow_control, flow_total, flow_credits; /* controller to host */
  int quiet;                                  /* do not log advertising */
};

extern struct controller controller;

void controller_start(void);
/* Takes a command without its H4 octet. */
void receive_command(const uint8_t *packet);
void set_advertising(int on, int extended, int handle);

/* ---- link.c ---- */

/* Takes an ACL packet of `length` octets, without its H4 octet. */
void receive_acl(uint8_t *packet, int length);
/* Sends a Number Of Completed Packets for what has arrived since the last one. */
void report_completed(void);
/* Forgets what is still to be reported. */
void forget_completed(void);
/* Returns the connection with that handle, up or not; NULL when no connection has it. */
struct connection *connection_by_handle(uint16_t handle);

/* ---- measure.c ---- */

/* Notes the CPU times at the start of a phase. */
void phase_begin(void);
uint64_t phase_started_at(void);
/* Prints the phase's JSON line; `format` and its arguments give the members that only this phase has. */
void phase_end(const char *name, double operations, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints the JSON line of the start-up. */
void print_startup(void);

/* ---- client.c ---- */

struct characteristic {
  uint16_t declaration, value, end, cccd, service;
  uint8_t properties;
  uint8_t uuid[16];
  int uuid_length;
};

/* The most that a discovery keeps. It does not discover more. */
enum { MOST_SERVICES = 256, MOST_CHARACTERISTICS = 4096 };

struct database {
  int services, characteristics, descriptors, requests;
  struct {
    uint16_t start, end, uuid;
  } service[MOST_SERVICES];
  struct characteristic characteristic[MOST_CHARACTERISTICS];
};

extern struct database database;

/* The characteristics that the phases use; NULL when the DUT has none. They remain valid after the next discovery. */
extern struct characteristic *read_target, *notify_target, *write_target;

/* Sends a request without waiting. */
void send_request(struct connection *c, const uint8_t *pdu, int length);
/* Sends a request and waits for its response, which is in c->response. Returns its length, or -1. */
int request(struct connection *c, const uint8_t *pdu, int length);
/* Discovers all services, characteristics and descriptors into `database`. Returns the number of requests, or -1. */
int discover(struct connection *c);
/* Chooses read_target, notify_target and write_target from the database. */
void choose_targets(void);
/* Returns the characteristic to write with response, or NULL. */
const struct characteristic *choose_write_request_target(void);
void describe_targets(void);

/* ---- connection.c ---- */

/* Waits for advertising, connects and exchanges the MTU. Returns -1 when that fails. */
int connect_link(int index);
void disconnect_link(int index);

/* ---- phases.c, channel.c, malformed.c ---- */

/* Runs every phase in a list separated by commas, until the DUT is lost. */
void run_phases(const char *list);
void phase_channel(void);
void phase_malformed(void);

#endif
