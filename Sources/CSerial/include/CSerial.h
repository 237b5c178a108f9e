#pragma once
#include <poll.h>
#include <stdint.h>

/// Returns the speed_t constant of a baud rate, or 0 (B0) if the C library has none for it.
uint32_t cserial_standard_speed(uint32_t baud);

/// Sets any baud rate with termios2 and BOTHER, and reads it back. Returns 0, an errno value, or ERANGE if the driver chose a rate that
/// differs by more than 2 %.
int cserial_set_custom_speed(int descriptor, uint32_t baud);

/// Asks a serial driver to deliver octets immediately (an FTDI chip otherwise waits 16 ms). Returns 0 or an errno value.
int cserial_prefer_low_latency(int descriptor);

/// Returns a non-blocking, close-on-exec eventfd, or -1 with errno set.
int cserial_eventfd(void);

/// Sets the name of the calling thread, truncated to 15 octets.
void cserial_name_thread(const char *name);

/// Sets the timer slack of the calling thread in nanoseconds, by which the kernel may delay its timeouts. Returns the previous value.
uint64_t cserial_set_timer_slack(uint64_t nanoseconds);

/// Opens the master side of a new pseudoterminal, non-blocking and close-on-exec, and writes the path of the slave side to `name`. Returns
/// the descriptor, or -1 with errno set.
int cserial_open_terminal(char *name, uint32_t capacity);

/// Opens the Bluetooth adapter with that number for exclusive use by this process, through the kernel's HCI user channel: a non-blocking,
/// close-on-exec socket that transfers one HCI packet (H4) at a time. Returns the socket, or -1 with errno set.
int cserial_open_adapter(uint16_t index);

/// Accepts the next connection of a listening socket, as a non-blocking, close-on-exec descriptor. Returns it, or -1 with errno set.
int cserial_accept(int listener);

/// Calls poll(2) with a timeout in nanoseconds; negative for none. Returns the number of ready descriptors, or -1 with errno set.
int cserial_poll(struct pollfd *descriptors, uint32_t count, int64_t nanoseconds);

/// A running program in a process group of its own.
struct cserial_program {
  int32_t process;
  /// Readable after the program has ended.
  int descriptor;
  /// The other end of its standard input and output.
  int line;
  /// The reading end of its standard error.
  int errors;
};

/// Runs a program in a folder, found in the same way as by a shell, with these arguments (the first is the program, the last NULL). All
/// descriptors are close-on-exec. Returns 0 or an errno value.
int cserial_spawn(char *const *arguments, const char *folder, struct cserial_program *program);

/// Removes a program from those that cserial_kill_programs ends. Call it before waiting for the process, while its number cannot be reused.
void cserial_forget_program(int32_t process);

/// Kills all running programs with their process groups. May be called in a signal handler (signal-safety(7)).
void cserial_kill_programs(void);
