import BLEGAP
import BLEHCI

/// What a host holds at a moment, for whoever looks for what stays behind: without links, nothing.
public struct HostLoad: Hashable, Sendable {
  /// How many links there are.
  public var links: Int
  /// How many packets the controller has and has not reported completed.
  public var packets: Int
  /// How many commands wait to be sent.
  public var commands: Int
}

extension HostStack {
  /// What it holds now.
  public var load: HostLoad {
    HostLoad(links: connections.count, packets: scheduler.outstandingPackets, commands: commands.waiting.count)
  }
}
