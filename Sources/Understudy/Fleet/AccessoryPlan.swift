import AccessoryProfile
import BLECore
import BLEGAP

/// One accessory of a group before it runs: what it is called there, and how it is run.
public struct AccessoryPlan: Sendable {
  /// What it is called in its group: the name of its file without folders and ending, such as `heart-rate`, and for the second
  /// `heart-rate-2`.
  public var name: String
  /// What it is.
  public var profile: Profile
  /// How it is run.
  public var options: AccessoryOptions

  /// A plan in its parts.
  public init(name: String, profile: Profile, options: AccessoryOptions) {
    self.name = name
    self.profile = profile
    self.options = options
  }

  /// Plans for all those profiles under the same options, each with a name of its own, and none with the address of another:
  /// of those whose addresses are derived from the same text, the second has the options' seed plus 1, the third plus 2, and
  /// so on. Where there are several, each has a capture file of its own, whose name has the accessory's before its ending:
  /// `run.pcapng` becomes `run-heart-rate.pcapng`.
  public static func plans(
    for profiles: [Profile], options: AccessoryOptions = AccessoryOptions()
  ) throws(SharedAddressError) -> [AccessoryPlan] {
    var plans: [AccessoryPlan] = []
    // The first of those with the same identity, and how many there are: a fleet may have thousands.
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

  /// The name of a file without its folders and its ending.
  static func stem(of file: String) -> String {
    let last = file.split(separator: "/").last ?? ""
    let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
    return stem.isEmpty ? "accessory" : String(stem)
  }

  /// A path with an accessory's name before the ending.
  private static func path(_ path: String, of name: String) -> String {
    let file = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[file...].lastIndex(of: "."), dot > file else { return "\(path)-\(name)" }
    return "\(path[..<dot])-\(name)\(path[dot...])"
  }
}

/// Names that are given once each.
private struct FreeNames {
  private var taken: Set<String> = []
  /// The number that was tried last of each name.
  private var numbers: [String: Int] = [:]

  /// The name, or the first of it with a number that is not taken: `battery`, `battery-2`.
  mutating func take(_ name: String) -> String {
    if taken.insert(name).inserted { return name }
    var number = numbers[name] ?? 1
    repeat { number += 1 } while !taken.insert("\(name)-\(number)").inserted
    numbers[name] = number
    return "\(name)-\(number)"
  }
}

/// Two accessories that cannot run at the same time, because their profiles fix the same address.
public struct SharedAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The files of the two profiles, which may be one.
  public var profiles: [String]
  /// The address.
  public var address: DeviceAddress

  /// What, why and what to do.
  public var description: String {
    let who = Set(profiles).count == 1 ? "\(profiles[0]) twice" : profiles.joined(separator: " and ")
    return
      "cannot run \(who): both would have the address \(address); with `identity: { address: static }` each has its own"
  }
}
