import ArgumentParser
import Glibc

/// Where the program begins. An asynchronous `main` would end the main thread, and a thread ends by unwinding its stack: that alone reads
/// 1.6 MB of tables. So the command runs in a task, and the main thread waits.
@main
enum EntryPoint {
  static func main() {
    // Arguments are read from /proc: without it there would be none, not even the name of the program. A task would begin a thread of
    // libdispatch's, which needs /proc and traps.
    guard !CommandLine.arguments.isEmpty else {
      Terminal.error("cannot read the arguments: /proc is not there; mount it (mount -t proc proc /proc)")
      UnderstudyCommand.exit(withError: ExitStatus.system)
    }
    // A plain task would belong to the main actor, whose thread waits here.
    Task.detached {
      await UnderstudyCommand.main()
      exit(EXIT_SUCCESS)
    }
    while true { pause() }
  }
}
