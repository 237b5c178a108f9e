/* What the DUT costs: its CPU time and memory from /proc, and the JSON lines that contain them. */
#define _GNU_SOURCE
#include "hciload.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct cpu_time {
  uint64_t ns;                   /* of all threads, from the scheduler */
  long user_ticks, system_ticks; /* of the process, sampled by the timer */
};

static struct cpu_time dut_at_start;
static uint64_t own_at_start, started_at;

static uint64_t thread_cpu_ns(pid_t process, const char *thread) {
  char path[320];
  unsigned long long ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", process, thread);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  if (fscanf(file, "%llu", &ns) != 1)
    ns = 0;
  fclose(file);
  return ns;
}

static void read_ticks(pid_t process, struct cpu_time *time) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE *file = fopen(path, "r");
  if (!file)
    return;
  if (fgets(line, sizeof line, file)) {
    char *after_name = strrchr(line, ')');
    if (after_name)
      sscanf(after_name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &time->user_ticks,
             &time->system_ticks);
  }
  fclose(file);
}

static struct cpu_time dut_cpu(void) {
  struct cpu_time time = {0};
  pid_t process = dut_pid();
  if (process <= 0)
    return time;
  read_ticks(process, &time);
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (!threads)
    return time;
  struct dirent *entry;
  while ((entry = readdir(threads))) {
    if (isdigit((unsigned char)entry->d_name[0]))
      time.ns += thread_cpu_ns(process, entry->d_name);
  }
  closedir(threads);
  return time;
}

/* Returns a row of /proc/PID/status in KiB, or -1. */
static long dut_memory(const char *row) {
  char path[64], line[256];
  long value = -1;
  pid_t process = dut_pid();
  if (process <= 0)
    return -1;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *file = fopen(path, "r");
  if (!file)
    return -1;
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, row, strlen(row)))
      sscanf(line + strlen(row) + 1, "%ld", &value);
  }
  fclose(file);
  return value;
}

static uint64_t own_cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

void phase_begin(void) {
  dut_at_start = dut_cpu();
  own_at_start = own_cpu_us();
  started_at = now_ns();
}

uint64_t phase_started_at(void) {
  return started_at;
}

void phase_end(const char *name, double operations, const char *format, ...) {
  double elapsed = (now_ns() - started_at) / 1e9;
  struct cpu_time dut = dut_cpu();
  uint64_t own = own_cpu_us() - own_at_start;
  double dut_us = dut.ns > dut_at_start.ns ? (dut.ns - dut_at_start.ns) / 1e3 : 0;
  long hertz = sysconf(_SC_CLK_TCK);
  va_list arguments;

  printf("{\"label\":\"%s\",\"phase\":\"%s\",\"conns\":%d,\"elapsed_s\":%.4f,", options.label, name,
         options.connections, elapsed);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf(",\"dut_cpu_us\":%.0f,\"dut_user_ms\":%ld,\"dut_sys_ms\":%ld,\"dut_cpu_pct\":%.1f", dut_us,
         (dut.user_ticks - dut_at_start.user_ticks) * 1000 / hertz,
         (dut.system_ticks - dut_at_start.system_ticks) * 1000 / hertz, dut_us / elapsed / 1e4);
  if (operations > 0)
    printf(",\"dut_cpu_us_per_op\":%.3f", dut_us / operations);
  printf(",\"load_cpu_pct\":%.1f,\"rss_kb\":%ld,\"hwm_kb\":%ld,\"alive\":%s}\n", own / elapsed / 1e4,
         dut_memory("VmRSS"), dut_memory("VmHWM"), transport.dead ? "false" : "true");
  fflush(stdout);
}

void print_startup(void) {
  char link[64], program[512] = "";
  struct stat status = {0};
  ssize_t length = -1;
  if (dut_pid() > 0) {
    snprintf(link, sizeof link, "/proc/%d/exe", dut_pid());
    length = readlink(link, program, sizeof program - 1);
  }
  if (length > 0)
    stat(program, &status);

  uint64_t spawned = dut_spawned_at(), first = transport.first_octet, advertised = controller.advertised_at;
  printf("{\"label\":\"%s\",\"phase\":\"startup\",\"start_to_first_byte_ms\":%.2f,\"start_to_adv_ms\":%.2f",
         options.label, spawned ? (first - spawned) / 1e6 : -1, spawned ? (advertised - spawned) / 1e6 : -1);
  printf(",\"first_byte_to_adv_ms\":%.2f,\"hci_cmds\":%d,\"dut_cpu_us\":%.0f", (advertised - first) / 1e6,
         controller.commands, dut_cpu().ns / 1e3);
  printf(",\"rss_kb\":%ld,\"hwm_kb\":%ld,\"exe\":\"%s\",\"exe_bytes\":%lld,\"adv\":\"%s\"}\n", dut_memory("VmRSS"),
         dut_memory("VmHWM"), program, (long long)status.st_size,
         controller.extended_advertising ? "extended" : "legacy");
  fflush(stdout);
}
