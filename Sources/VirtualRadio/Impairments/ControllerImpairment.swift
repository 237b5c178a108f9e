/// What is wrong between a controller and its host, or with the controller itself.
public struct ControllerImpairment: Hashable, Sendable {
  /// How much later every packet to the host comes; their order stays.
  public var latency = Duration.zero
  /// Whether the controller hangs: it drops what its host sends, is silent on the air, and its links die by supervision.
  /// What it has to say comes when it hangs no more.
  public var isHung = false
  /// How many ACL packets of the host it can really hold, when that is fewer than it promised. It drops the others with a
  /// Data Buffer Overflow (Core 5.4 Vol 4 Part E 7.7.26).
  public var bufferLimit: Int?

  /// A controller with nothing wrong.
  public init() {}

  /// A controller with that wrong.
  public init(latency: Duration = .zero, isHung: Bool = false, bufferLimit: Int? = nil) {
    self.latency = latency
    self.isHung = isHung
    self.bufferLimit = bufferLimit
  }
}

/// What a controller says when it has restarted by itself.
public enum RestartNotice: Hashable, Sendable {
  /// Nothing.
  case silently
  /// A Command Complete for no command, as controllers send that are ready for commands (Core 5.4 Vol 4 Part E 4.4).
  case nop
  /// A Hardware Error with that code (Core 5.4 Vol 4 Part E 7.7.16).
  case hardwareError(UInt8)
  /// A failed assertion as Zephyr's firmware reports it.
  case zephyrAssertion(file: String, line: UInt32)
}
