/// Impairments of a controller or of the line to its host.
public struct ControllerImpairment: Hashable, Sendable {
  /// The delay of every packet to the host. Their order is kept.
  public var latency = Duration.zero
  /// Whether the controller hangs: it ignores its host and is silent on the air, and its links end by supervision timeout. Its pending
  /// output is sent when it no longer hangs.
  public var isHung = false
  /// The number of ACL packets from the host that it really holds, if lower than it reports. It drops the others with a Data Buffer
  /// Overflow (Core 5.4 Vol 4 Part E 7.7.26).
  public var bufferLimit: Int?

  /// Creates a controller without impairments.
  public init() {}

  /// Creates a controller with these impairments.
  public init(latency: Duration = .zero, isHung: Bool = false, bufferLimit: Int? = nil) {
    self.latency = latency
    self.isHung = isHung
    self.bufferLimit = bufferLimit
  }
}

/// The event that a controller sends after a spontaneous restart.
public enum RestartNotice: Hashable, Sendable {
  /// Nothing.
  case silently
  /// A Command Complete for no command, which controllers send when they are ready for commands (Core 5.4 Vol 4 Part E 4.4).
  case nop
  /// A Hardware Error with this code (Core 5.4 Vol 4 Part E 7.7.16).
  case hardwareError(UInt8)
  /// A failed assertion, in the format of Zephyr's firmware.
  case zephyrAssertion(file: String, line: UInt32)
}
