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
    case .buffers(let count):
      return start + "it has \(count) data buffer(s), and each accessory needs one; remove accessories, or give "
        + "--controller for each"
    }
  }
}
