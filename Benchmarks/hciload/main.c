/* The order of everything: endpoint, DUT, advertising, connections, discovery, phases. */
#define _GNU_SOURCE
#include "hciload.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

/* Connects everything and runs the phases. Returns the exit code. */
static int run(void) {
  for (int i = 0; i < options.connections; i++) {
    if (connect_link(i) == 0)
      continue;
    if (i == 0)
      return 1;
    log_line("only %d connections", i);
    options.connections = i;
  }
  controller.quiet = 1;
  WAIT_FOR(0, 0.3);
  if (discover(&connections[0]) < 0) {
    log_line("discovery failed");
    return 1;
  }
  choose_targets();
  describe_targets();
  run_phases(options.phases);
  if (transport.dead) {
    log_line("DUT lost");
    return 2;
  }
  return 0;
}

int main(int argc, char **argv) {
  int command = parse_options(argc, argv);
  prctl(PR_SET_TIMERSLACK, 1000); /* in ns; the default of 50 us would be visible in every latency */
  signal(SIGPIPE, SIG_IGN);
  start_clock();
  aes_start();
  controller_start();
  if (options.uart_bps)
    transport.ns_per_octet = 1e10 / options.uart_bps; /* ten bits per octet */

  open_endpoint();
  if (command < argc)
    spawn_dut(argv + command, argc - command);
  pin_to_core(options.cpu);
  accept_dut();
  phase_begin();
  if (!WAIT_FOR(controller.advertising, 60))
    die("DUT never advertised (hci commands %d)", controller.commands);
  print_startup();

  int code = run();
  log_line("rx acl %llu, tx acl %llu, tx evt %llu, hci cmds %d, writes %llu, reads %llu",
           (unsigned long long)transport.acl_received, (unsigned long long)transport.acl_sent,
           (unsigned long long)transport.events_sent, controller.commands, (unsigned long long)transport.write_calls,
           (unsigned long long)transport.read_calls);
  stop_dut();
  return code;
}
