import ArgumentParser
import Glibc

/// The entry point of the program. An asynchronous `main` would end the main thread, and a thread ends by unwinding
/// its stack, which alone reads 1.6 MB of tables. So the command runs in a task, and the main thread waits.
@main
enum EntryPoint {
  static func main() {
    // Arguments are read from /proc. Without it there are none, not even the program's name, and a task would
    // start a thread of libdispatch, which needs /proc and traps.
    guard !CommandLine.arguments.isEmpty else {
      Terminal.error("cannot read the arguments: /proc is missing; mount it (mount -t proc proc /proc)")
      UnderstudyCommand.exit(withError: ExitStatus.system)
    }
    // A plain task would run on the main actor, whose thread waits here.
    Task.detached {
      await UnderstudyCommand.main()
      exit(EXIT_SUCCESS)
    }
    while true { pause() }
  }
}
