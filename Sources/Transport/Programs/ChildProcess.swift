import CSerial
import Glibc

/// How a program ended.
package enum ChildEnd: Hashable, Sendable, CustomStringConvertible {
  /// By itself, with that exit status.
  case exited(Int)
  /// By that signal.
  case killed(Int)

  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .killed(let signal): "signal \(signal)"
    }
  }
}

/// A program that runs beside this one: its standard input and output are a line, and it ends with whoever lets go of it. What it has begun
/// ends with it, as far as it has stayed in its process group.
package final class ChildProcess {
  /// What it reads from standard input, and writes to standard output.
  package let line: Line
  /// What it writes to standard error.
  package let errors: Line
  /// Readable once it has ended, to be watched.
  package let descriptor: CInt
  /// Its number, which is also that of its process group.
  package let process: pid_t
  private var end: ChildEnd?

  /// Runs a program with its arguments in a folder. The program is found as a shell finds it.
  package init(_ command: [String], in folder: String) throws(TransportError) {
    var program = cserial_program()
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    let code = cserial_spawn(&arguments, folder, &program)
    guard code == 0 else { throw .system("cannot run the program", command.joined(separator: " "), code) }
    process = program.process
    descriptor = program.descriptor
    line = Line(adopting: program.line)
    errors = Line(adopting: program.errors)
  }

  deinit {
    if end == nil {
      signal(SIGKILL)
      cserial_forget_program(process)
      var status: CInt = 0
      waitpid(process, &status, 0)
    }
    Glibc.close(descriptor)
  }

  /// Kills all programs that run, with all that they have begun. May be called in a handler of a signal.
  package static func killAll() { cserial_kill_programs() }

  /// Sends a signal to it and to all that it has begun, unless it has ended.
  package func signal(_ number: CInt) { if end == nil { kill(-process, number) } }

  /// How it ended; nil while it runs. Whatever of its group is left then is killed.
  package func takeEnd() -> ChildEnd? {
    if let end { return end }
    var information = siginfo_t()
    // As long as nobody has waited for it, its number is no other's, nor is that of its group.
    guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
      information._sifields._sigchld.si_pid == process
    else { return nil }
    kill(-process, SIGKILL)
    cserial_forget_program(process)
    var status: CInt = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = Int(status & 0x7F)
    end = signal == 0 ? .exited(Int(status >> 8 & 0xFF)) : .killed(signal)
    return end
  }
}
