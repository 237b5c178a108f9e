import Glibc

/// Where the program begins. An asynchronous `main` would end the main thread, and a thread ends by unwinding its stack: that alone reads
/// 1.6 MB of tables. So the command runs in a task, and the main thread waits.
@main
enum EntryPoint {
  static func main() {
    // A plain task would belong to the main actor, whose thread waits here.
    Task.detached {
      await UnderstudyCommand.main()
      exit(EXIT_SUCCESS)
    }
    while true { pause() }
  }
}
