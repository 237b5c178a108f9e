/// The objects that a host holds at one moment, to find leaks. Without links it should hold nothing.
public struct HostLoad: Hashable, Sendable {
  /// The number of links.
  public var links: Int
  /// The number of packets in the controller that it has not reported completed.
  public var packets: Int
  /// The number of commands that wait to be sent.
  public var commands: Int

  /// Creates a load.
  public init(links: Int, packets: Int, commands: Int) {
    self.links = links
    self.packets = packets
    self.commands = commands
  }
}
