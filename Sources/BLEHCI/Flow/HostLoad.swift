/// What a host holds at a moment, for whoever looks for what stays behind: without links, nothing.
public struct HostLoad: Hashable, Sendable {
  /// How many links there are.
  public var links: Int
  /// How many packets the controller has and has not reported completed.
  public var packets: Int
  /// How many commands wait to be sent.
  public var commands: Int

  /// A load.
  public init(links: Int, packets: Int, commands: Int) {
    self.links = links
    self.packets = packets
    self.commands = commands
  }
}
