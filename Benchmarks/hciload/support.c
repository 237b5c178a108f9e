/* Time, log and random numbers. */
#include "hciload.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t clock_zero;

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + t.tv_nsec;
}

void start_clock(void) {
  clock_zero = now_ns();
}

void log_line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "[%10.6f] ", (now_ns() - clock_zero) / 1e9);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void log_octets(const char *direction, const uint8_t *octets, int length) {
  fprintf(stderr, "[%10.6f] %s", (now_ns() - clock_zero) / 1e9, direction);
  for (int i = 0; i < length && i < 48; i++)
    fprintf(stderr, " %02x", octets[i]);
  if (length > 48)
    fprintf(stderr, " ..(%d)", length);
  fputc('\n', stderr);
}

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  kill_dut();
  exit(1);
}

/* xorshift64: small, fast, and the same everywhere, so that a seed gives the same packets on every machine. */
static const uint64_t random_start = 88172645463325252ull;
static uint64_t random_state = 88172645463325252ull;

void seed_random(uint32_t seed) {
  random_state = random_start ^ ((uint64_t)seed * 0x9e3779b97f4a7c15ull);
}

uint32_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 16);
}
