/* The command line. Each option is one row of a table: its name, how its argument is read, and where it goes. */
#include "hciload.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .tcp = -1,
    .cpu = -1,
    .dut_cpu = -1,
    .acl_length = 251,
    .acl_number = 12,
    .extended = 1,
    .enhanced = 1,
    .data_length = 1,
    .connections = 1,
    .mtu = 517,
    .timeout_s = 10,
    .coc_mtu = 65535,
    .coc_mps = 247,
    .coc_credits = 64,
    .coc_mode = "stream",
    .phases = "discovery,att_read,att_write,write_cmd,notify,idle",
    .label = "",
    .seconds = 5,
    .reads = 20000,
    .discoveries = 100,
    .writes = 50000,
    .write_length = 244,
    .reconnections = 200,
    .malformed = 100000,
    .malformed_check = 2000,
    .malformed_classes = "att,l2cap,acl,smp,evt",
    .seed = 1,
};

enum kind { TURN_ON, TURN_OFF, INTEGER, PREFIXED_INTEGER, SEED, RATE, REAL, TEXT, UUID };

static const struct {
  const char *name;
  enum kind kind;
  void *target;
} table[] = {
    {"tcp", INTEGER, &options.tcp},
    {"unix", TEXT, &options.unix_path},
    {"pty", TURN_ON, &options.pty},
    {"pty-link", TEXT, &options.pty_link},
    {"uart", RATE, &options.uart_bps},
    {"pid", INTEGER, &options.pid},
    {"dut-log", TEXT, &options.dut_log},
    {"keep", TURN_ON, &options.keep},
    {"cpu", INTEGER, &options.cpu},
    {"dut-cpu", INTEGER, &options.dut_cpu},
    {"acl-len", INTEGER, &options.acl_length},
    {"acl-num", INTEGER, &options.acl_number},
    {"no-ext", TURN_OFF, &options.extended},
    {"no-enh", TURN_OFF, &options.enhanced},
    {"no-dle", TURN_OFF, &options.data_length},
    {"host-fc", TURN_ON, &options.host_flow_control},
    {"nocp-batch", TURN_ON, &options.batch_completed},
    {"conns", INTEGER, &options.connections},
    {"mtu", INTEGER, &options.mtu},
    {"conn-delay", INTEGER, &options.connection_delay_us},
    {"timeout", INTEGER, &options.timeout_s},
    {"read-uuid", UUID, &options.read_uuid},
    {"notify-uuid", UUID, &options.notify_uuid},
    {"write-uuid", UUID, &options.write_uuid},
    {"psm", PREFIXED_INTEGER, &options.psm},
    {"coc-mode", TEXT, &options.coc_mode},
    {"coc-mtu", INTEGER, &options.coc_mtu},
    {"coc-mps", INTEGER, &options.coc_mps},
    {"coc-sdu", INTEGER, &options.coc_sdu},
    {"coc-credits", INTEGER, &options.coc_credits},
    {"phases", TEXT, &options.phases},
    {"label", TEXT, &options.label},
    {"secs", REAL, &options.seconds},
    {"n-read", INTEGER, &options.reads},
    {"n-disc", INTEGER, &options.discoveries},
    {"n-write", INTEGER, &options.writes},
    {"wlen", INTEGER, &options.write_length},
    {"n-reconn", INTEGER, &options.reconnections},
    {"n-mal", INTEGER, &options.malformed},
    {"mal-check", INTEGER, &options.malformed_check},
    {"mal-classes", TEXT, &options.malformed_classes},
    {"seed", SEED, &options.seed},
    {"spin", TURN_ON, &options.spin},
    {"trace", TURN_ON, &options.trace},
};

enum { TABLE_ROWS = sizeof table / sizeof table[0] };

static void print_usage(void) {
  puts("hciload [options] [-- DUT-command with {} for the port / path]\n"
       " transport: --tcp PORT (0 = any) | --unix PATH | --pty [--pty-link PATH]   --uart BPS (pace both ways, 8N1)\n"
       " DUT:  given after -- (spawned, {} replaced) or --pid PID;  --dut-log FILE;  --keep (do not kill it at the "
       "end)\n"
       " --phases LIST   discovery,att_read,att_write,write_cmd,notify,l2cap_coc,reconnect,idle,malformed\n"
       " --conns N 1..20   --mtu 517   --acl-len 251  --acl-num 12\n"
       " --no-ext (no extended advertising)  --no-enh (no enhanced connection complete)  --no-dle (no data length)\n"
       " --host-fc (offer controller-to-host flow control)\n"
       " --nocp-batch (one Number Of Completed Packets per read instead of per packet)  --spin (busy poll)\n"
       " --n-read 20000 --n-disc 100 --n-write 50000 --wlen 244 --secs 5 --n-reconn 200\n"
       " --n-mal 100000 --seed 1 --mal-check 2000 --mal-classes att,l2cap,acl,smp,evt\n"
       " --psm 0x25 --coc-mode stream|sink|echo --coc-mtu 65535 --coc-mps 247 --coc-sdu N --coc-credits 64\n"
       " --cpu N --dut-cpu N (pin)  --conn-delay US (between connection complete and the first PDU)\n"
       " --read-uuid U --notify-uuid U --write-uuid U   --label TEXT  --timeout 10 -v --trace");
  exit(0);
}

/* Reads a UUID. Up to four hexadecimal digits are a short UUID, more are a full one. Other characters are skipped. */
static void parse_uuid(struct uuid *uuid, const char *text) {
  char digits[40] = "";
  int count = 0;
  for (; *text && count < 33; text++) {
    if (isxdigit((unsigned char)*text))
      digits[count++] = *text;
  }
  uuid->given = 1;
  if (count <= 4) {
    uuid->length = 2;
    put16(uuid->octets, strtol(digits, NULL, 16));
    return;
  }
  uuid->length = 16;
  for (int i = 0; i < 16; i++) {
    char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
    uuid->octets[15 - i] = strtol(pair, NULL, 16);
  }
}

static void apply(enum kind kind, void *target, const char *argument) {
  switch (kind) {
  case TURN_ON:
    *(int *)target = 1;
    break;
  case TURN_OFF:
    *(int *)target = 0;
    break;
  case INTEGER:
    *(int *)target = atoi(argument);
    break;
  case PREFIXED_INTEGER:
    *(int *)target = strtol(argument, NULL, 0);
    break;
  case SEED:
    *(uint32_t *)target = strtoul(argument, NULL, 0);
    break;
  case RATE:
    *(long *)target = atol(argument);
    break;
  case REAL:
    *(double *)target = atof(argument);
    break;
  case TEXT:
    *(const char **)target = argument;
    break;
  case UUID:
    parse_uuid(target, argument);
    break;
  }
}

int parse_options(int argc, char **argv) {
  enum { ROW_BASE = 256 };
  struct option rows[TABLE_ROWS + 1] = {0};
  for (int i = 0; i < TABLE_ROWS; i++) {
    int flag = table[i].kind == TURN_ON || table[i].kind == TURN_OFF;
    rows[i] = (struct option){table[i].name, flag ? no_argument : required_argument, NULL, ROW_BASE + i};
  }
  int found;
  while ((found = getopt_long(argc, argv, "v", rows, NULL)) != -1) {
    if (found >= ROW_BASE)
      apply(table[found - ROW_BASE].kind, table[found - ROW_BASE].target, optarg);
    else if (found == 'v')
      options.verbose = 1;
    else
      print_usage();
  }
  if (options.pty_link)
    options.pty = 1;
  if (options.connections < 1 || options.connections > MAX_CONNECTIONS || options.write_length > 512 ||
      options.mtu < 23 || options.mtu > 517 || options.acl_length < 27 || options.acl_length > 2000)
    die("bad option value");
  if (options.tcp < 0 && !options.unix_path && !options.pty)
    print_usage();
  return optind;
}
