import ArgumentParser
import Dispatch
import Glibc
import Understudy

/// The options for keeping the most recent packets in memory, and saving them.
struct RingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The memory for the last packets to and from each controller. They are saved as pcapng when the accessory fails, on \
      SIGUSR1, on Control-\\ in a terminal, or by POST /v1/ring; 0 keeps none.
      """, valueName: "size"),
    transform: { try RingArguments.size($0) })
  var ring = RingArguments.usualLimit

  @Option(
    help: ArgumentHelp(
      """
      The folder for saved packets (default: captures, next to the state of the accessories). With --ephemeral, the default is the \
      current folder, and packets are saved only on request.
      """, valueName: "folder"))
  var ringFolder: String?

  /// Some minutes of a typical connection. It fits into a processor's cache: a larger ring costs a fifth more
  /// processor time for each packet (docs/bench.md).
  static let usualLimit = 1 << 20
  /// The maximum size: a larger one is a mistake.
  private static let largest = 1 << 30

  /// Parses a number of octets, such as `16MB`, `512kB` or `0`.
  static func size(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let factors = ["": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000]
    let unit = text.dropFirst(digits.count).filter { $0 != " " }.lowercased()
    guard let number = Int(digits), let factor = factors[unit] else {
      throw ValidationError("it takes a size such as 16MB, 512kB or 0")
    }
    let (size, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, size <= largest else { throw ValidationError("at most 1GB can be kept") }
    return size
  }

  func apply(to options: inout AccessoryOptions) {
    options.ringLimit = ring
    options.ringFolder = ringFolder ?? options.state.map { $0 + "/captures" } ?? "."
    options.savesRingOnFailure = ringFolder != nil || options.state != nil
  }

  /// Saves the packets of all accessories on SIGUSR1, and in a terminal also on SIGQUIT, while the result is alive.
  func saveOnRequest(of group: AccessoryGroup) -> [any DispatchSourceSignal] {
    guard ring > 0 else { return [] }
    let numbers = isatty(STDIN_FILENO) == 1 ? [SIGUSR1, SIGQUIT] : [SIGUSR1]
    return numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Task { for member in group.members { _ = await member.accessory.saveRingAside() } }
      }
      source.resume()
      return source
    }
  }
}
