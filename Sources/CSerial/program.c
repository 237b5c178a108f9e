#define _GNU_SOURCE
#include "CSerial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/// The process groups of running programs, for a signal handler, which must not take a lock. 0 marks a free place. If there is no free
/// place, a program runs all the same, but only its owner can end it.
enum { group_count = 1024 };
static _Atomic pid_t groups[group_count];

static void remember(pid_t group) {
  for (int place = 0; place < group_count; place++) {
    pid_t free = 0;
    if (atomic_compare_exchange_strong(&groups[place], &free, group)) return;
  }
}

void cserial_forget_program(int32_t process) {
  for (int place = 0; place < group_count; place++) {
    pid_t group = process;
    if (atomic_compare_exchange_strong(&groups[place], &group, 0)) return;
  }
}

void cserial_kill_programs(void) {
  for (int place = 0; place < group_count; place++) {
    pid_t group = atomic_load(&groups[place]);
    if (group != 0) kill(-group, SIGKILL);
  }
}

/// Starts the program with `line` as its standard input and output, and `errors` as its standard error.
static int spawn(char *const *arguments, const char *folder, int line, int errors, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return code;
  }
  // The program does not inherit our signal dispositions. Its own process group allows ending it with all its children.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  if (code == 0) code = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, line, STDIN_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, line, STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (code == 0) code = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

int cserial_spawn(char *const *arguments, const char *folder, struct cserial_program *program) {
  int line[2], errors[2];
  // A socket instead of a pipe, because writing to a pipe without a reader raises a signal that ends the process.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) return errno;
  if (pipe2(errors, O_CLOEXEC) != 0) {
    int code = errno;
    close(line[0]);
    close(line[1]);
    return code;
  }
  int code = spawn(arguments, folder, line[1], errors[1], &program->process);
  close(line[1]);
  close(errors[1]);
  if (code == 0) {
    program->descriptor = (int)syscall(SYS_pidfd_open, program->process, 0);
    if (program->descriptor >= 0) {
      program->line = line[0];
      program->errors = errors[0];
      remember(program->process);
      return 0;
    }
    code = errno;
    kill(-program->process, SIGKILL);
    waitpid(program->process, NULL, 0);
  }
  close(line[0]);
  close(errors[0]);
  return code;
}
