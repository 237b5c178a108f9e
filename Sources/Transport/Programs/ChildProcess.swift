import CSerial
import Glibc

/// The end of a program.
package enum ChildEnd: Hashable, Sendable, CustomStringConvertible {
  /// It exited with this status.
  case exited(Int)
  /// It was killed by this signal.
  case killed(Int)

  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .killed(let signal): "signal \(signal)"
    }
  }
}

/// A program that runs as a child of this one. A line carries its standard input and output, and it ends when the object is deallocated.
/// Processes that it has started end with it if they are still in its process group.
package final class ChildProcess {
  /// Its standard input and output.
  package let line: Line
  /// Its standard error.
  package let errors: Line
  /// The descriptor to watch: readable once the program has ended.
  package let descriptor: CInt
  /// Its process number, which is also that of its process group.
  package let process: pid_t
  private var end: ChildEnd?

  /// Runs a program with its arguments in a folder. The program is found like in a shell.
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

  /// Kills all running programs and the processes that they have started. May be called in a signal handler.
  package static func killAll() { cserial_kill_programs() }

  /// Sends a signal to it and the processes that it has started, unless it has ended.
  package func signal(_ number: CInt) { if end == nil { kill(-process, number) } }

  /// Returns how it ended; nil while it runs. Kills the rest of its process group.
  package func takeEnd() -> ChildEnd? {
    if let end { return end }
    var information = siginfo_t()
    // Until it has been waited for, its process number and that of its group cannot be reused.
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
