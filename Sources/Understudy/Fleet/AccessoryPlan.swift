import AccessoryProfile
import BLECore
import BLEGAP

/// An accessory of a group before it runs: its name in the group and its options.
public struct AccessoryPlan: Sendable {
  /// Its name in the group: the name of its file without folders and suffix, such as `heart-rate`, and `heart-rate-2` for the second.
  public var name: String
  /// Its profile.
  public var profile: Profile
  /// Its options.
  public var options: AccessoryOptions

  /// Creates a plan.
  public init(name: String, profile: Profile, options: AccessoryOptions) {
    self.name = name
    self.profile = profile
    self.options = options
  }

  /// Returns plans for these profiles with the same options. Their names and addresses are unique: among profiles whose addresses
  /// are derived from the same text, the second has the options' seed plus 1, the third plus 2, and so on. If there are several,
  /// each has a capture file of its own, with the accessory's name before the suffix: `run.pcapng` becomes `run-heart-rate.pcapng`.
  public static func plans(
    for profiles: [Profile], options: AccessoryOptions = AccessoryOptions()
  ) throws(SharedAddressError) -> [AccessoryPlan] {
    var plans: [AccessoryPlan] = []
    // The first profile with each identity, and how many have it. A dictionary, because a fleet can have thousands.
    var alike: [IdentityPolicy: (first: String, count: UInt64)] = [:]
    var names = FreeNames()
    for profile in profiles {
      let others = alike[profile.identity]
      if case .fixedStatic(let address) = profile.identity, let others {
        throw SharedAddressError(profiles: [others.first, profile.file], address: address)
      }
      alike[profile.identity] = (others?.first ?? profile.file, (others?.count ?? 0) + 1)
      let name = names.take(stem(of: profile.file))
      var options = options
      options.seed &+= others?.count ?? 0
      options.ringName = name
      if !plans.isEmpty { options.random = options.random.source(for: name) }
      if profiles.count > 1 { options.capturePath = options.capturePath.map { path($0, of: name) } }
      plans.append(AccessoryPlan(name: name, profile: profile, options: options))
    }
    return plans
  }

  /// Returns the name of a file without folders and suffix.
  static func stem(of file: String) -> String {
    let last = file.split(separator: "/").last ?? ""
    let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
    return stem.isEmpty ? "accessory" : String(stem)
  }

  /// Returns a path with an accessory's name before the suffix.
  private static func path(_ path: String, of name: String) -> String {
    let file = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[file...].lastIndex(of: "."), dot > file else { return "\(path)-\(name)" }
    return "\(path[..<dot])-\(name)\(path[dot...])"
  }
}

/// Names that are each given only once.
private struct FreeNames {
  private var taken: Set<String> = []
  /// The last number that was tried for each name.
  private var numbers: [String: Int] = [:]

  /// Returns the name, or the name with the first free number: `battery`, `battery-2`.
  mutating func take(_ name: String) -> String {
    if taken.insert(name).inserted { return name }
    var number = numbers[name] ?? 1
    repeat { number += 1 } while !taken.insert("\(name)-\(number)").inserted
    numbers[name] = number
    return "\(name)-\(number)"
  }
}

/// The error of two accessories that cannot run at the same time because their profiles fix the same address.
public struct SharedAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The files of the two profiles, which may be the same.
  public var profiles: [String]
  /// The address.
  public var address: DeviceAddress

  /// What failed, why, and what to do about it.
  public var description: String {
    let who = Set(profiles).count == 1 ? "\(profiles[0]) twice" : profiles.joined(separator: " and ")
    return
      "cannot run \(who): both would have the address \(address); with `identity: { address: static }` each has its own"
  }
}
