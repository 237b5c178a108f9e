#pragma once
#include <poll.h>
#include <stdint.h>

/// The speed_t constant of a baud rate, or 0 (B0) when the C library has none for it.
uint32_t cserial_standard_speed(uint32_t baud);

/// Sets any baud rate by termios2 and BOTHER, and reads it back. Returns 0, an errno value, or ERANGE when the driver
/// chose a rate more than 2 % away.
int cserial_set_custom_speed(int descriptor, uint32_t baud);

/// Asks a serial driver to hand octets over at once (an FTDI chip otherwise waits 16 ms). Returns 0 or an errno value.
int cserial_prefer_low_latency(int descriptor);

/// An eventfd that is non-blocking and closed on exec, or -1 with errno set.
int cserial_eventfd(void);

/// Names the calling thread, at most 15 octets of it.
void cserial_name_thread(const char *name);

/// Sets how late the kernel may let the calling thread's timeouts be, in nanoseconds; returns the value before.
uint64_t cserial_set_timer_slack(uint64_t nanoseconds);

/// Opens the master side of a new pseudo-terminal, non-blocking and closed on exec, and gives the path of the slave side
/// into `name`. Returns the descriptor, or -1 with errno set.
int cserial_open_terminal(char *name, uint32_t capacity);

/// Takes the Bluetooth adapter with that number for this process alone, by the kernel's HCI user channel: a socket, non-blocking and
/// closed on exec, that takes and gives one HCI packet (H4) at a time. Returns it, or -1 with errno set.
int cserial_open_adapter(uint16_t index);

/// The next connection of a listening socket, non-blocking and closed on exec, or -1 with errno set.
int cserial_accept(int listener);

/// poll(2) with a timeout in nanoseconds, negative for none. Returns how many are ready, or -1 with errno set.
int cserial_poll(struct pollfd *descriptors, uint32_t count, int64_t nanoseconds);

/// A program that runs, in a process group of its own.
struct cserial_program {
  int32_t process;
  /// Readable once it has ended.
  int descriptor;
  /// The other end of its standard input and output.
  int line;
  /// What it writes to standard error.
  int errors;
};

/// Runs a program, found as a shell finds it, with these arguments (the first is the program, the last NULL) in a folder. All descriptors
/// are closed on exec. Returns 0 or an errno value.
int cserial_spawn(char *const *arguments, const char *folder, struct cserial_program *program);

/// Tells that nobody has to end a program any more. Call it before anybody waits for the process, while its number is no other's.
void cserial_forget_program(int32_t process);

/// Kills all programs that run, with their process groups. Allowed in a handler of a signal (signal-safety(7)).
void cserial_kill_programs(void);
