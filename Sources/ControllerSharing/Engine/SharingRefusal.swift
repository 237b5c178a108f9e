import BLEHCI

/// Why a controller cannot serve several hosts.
public struct SharingRefusal: Error, Hashable, Sendable {
  /// The number of hosts.
  public var hosts: Int
  /// What the controller lacks.
  public var lack: Lack

  /// Creates a refusal.
  public init(hosts: Int, lack: Lack) {
    self.hosts = hosts
    self.lack = lack
  }

  /// Something that a controller may lack.
  public enum Lack: Hashable, Sendable {
    /// Advertising sets with an address each. The command is the one that it does not support; nil if it lacks the feature.
    case extendedAdvertising(CommandOpcode?)
    /// It has this many advertising sets, but `needed` are needed.
    case advertisingSets(Int, needed: Int)
    /// It has one public address, but this many hosts need one.
    case publicAddresses(wanted: Int)
    /// It has one BR/EDR part, which one of the hosts uses.
    case classic
    /// It can buffer this many ACL packets, which is fewer than one per host.
    case buffers(Int)
  }
}

extension SharingRefusal: CustomStringConvertible {
  /// The refusal, its reason and what to do.
  public var description: String {
    let start = "the controller cannot support \(hosts) accessories: "
    switch lack {
    case .extendedAdvertising(let command):
      let what = command.map { "it does not support \($0)" } ?? "its link layer does not have the feature"
      return start
        + "without extended advertising (\(what)) they would share one address; give --controller for each, or "
        + "firmware with extended advertising to this one"
    case .advertisingSets(let count, let needed):
      return start + "it has \(count) advertising set(s), but they need \(needed); remove sets or accessories, or give "
        + "--controller for each"
    case .publicAddresses(let wanted):
      return start
        + "it has one public address, but \(wanted) of them use it; with `identity: { address: static }` each "
        + "has its own"
    case .classic:
      return start
        + "one of them uses BR/EDR, which cannot be shared; give --controller for each, or that one `transports: [le]`"
    case .buffers(let count):
      return start + "it has \(count) data buffer(s), and each accessory needs one; remove accessories, or give "
        + "--controller for each"
    }
  }
}
