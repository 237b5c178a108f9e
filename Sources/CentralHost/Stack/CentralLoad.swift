import BLEGAP
import BLEHCI

/// What a central's host holds at a moment, for whoever looks for what stays behind: without links, nothing.
public struct CentralLoad: Hashable, Sendable {
  /// How many links there are.
  public var links: Int
  /// How many packets the controller has and has not reported completed.
  public var packets: Int
  /// How many commands wait to be sent.
  public var commands: Int
}

extension CentralStack {
  /// What it holds now.
  public var load: CentralLoad {
    CentralLoad(links: links.count, packets: scheduler.outstandingPackets, commands: commands.waiting.count)
  }
}
