import BLEHCI

/// Why a controller cannot carry several hosts.
public struct SharingRefusal: Error, Hashable, Sendable {
  /// How many hosts there are.
  public var hosts: Int
  /// What it lacks.
  public var lack: Lack

  /// A refusal in its parts.
  public init(hosts: Int, lack: Lack) {
    self.hosts = hosts
    self.lack = lack
  }

  /// What a controller may lack.
  public enum Lack: Hashable, Sendable {
    /// Advertising sets with an address each; the command that it does not know, where it is not the feature.
    case extendedAdvertising(CommandOpcode?)
    /// It has so many advertising sets, and so many are needed.
    case advertisingSets(Int, needed: Int)
    /// It has one public address, which so many want.
    case publicAddresses(wanted: Int)
    /// It holds so many ACL packets, which is less than one for each host.
    case buffers(Int)
  }
}

extension SharingRefusal: CustomStringConvertible {
  /// What, why and what to do.
  public var description: String {
    let start = "the controller cannot carry \(hosts) accessories: "
    switch lack {
    case .extendedAdvertising(let command):
      let what = command.map { "it does not know \($0)" } ?? "its link layer has not the feature"
      return start + "without extended advertising (\(what)) it has one address for all; "
        + "give --controller for each, or firmware with extended advertising to this one"
    case .advertisingSets(let count, let needed):
      return start + "it has \(count) advertising set(s), and they need \(needed); "
        + "leave sets or accessories out, or give --controller for each"
    case .publicAddresses(let wanted):
      return start + "it has one public address, and \(wanted) of them want it; "
        + "with `identity: { address: static }` each has its own"
    case .buffers(let count):
      return start + "it holds \(count) packet(s) of data, and each needs room for one; "
        + "leave accessories out, or give --controller for each"
    }
  }
}
