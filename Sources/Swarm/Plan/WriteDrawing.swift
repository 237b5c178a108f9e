import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Understudy

/// Draws values that a profile's characteristics accept: commands of their control points, values that their
/// rules wait for, values of their formats. Random octets rarely match any of these.
struct WriteDrawing {
  /// The behavior of each characteristic of the database, in order; nil for those of the host itself.
  private let behaviors: [CharacteristicBehavior?]
  /// The numbers of the characteristics that accept signed writes.
  let signable: [Int]
  /// The control points: their numbers, and the numbers of the configurations of their answers.
  let points: [(number: Int, configuration: Int, isIndicated: Bool)]

  init(_ profile: Profile) {
    let known = Dictionary(profile.behaviors.map { ($0.id, $0) }) { first, _ in first }
    let records = Self.host(of: profile)?.server.database.characteristics ?? []
    let behaviors = records.map { known[$0.definition.id] }
    self.behaviors = behaviors
    signable = records.indices.filter {
      records[$0].definition.properties.contains(.authenticatedSignedWrites)
    }
    let configured = records.filter { $0.configuration != nil }.map(\.index)
    points = records.indices.compactMap { number in
      guard let point = behaviors[number]?.controlPoint, let place = configured.firstIndex(of: point.answer) else {
        return nil
      }
      return (number, place, point.isIndicated)
    }
  }

  /// Returns the host of a profile in its initial state; nil if the database is invalid.
  static func host(of profile: Profile) -> HostStack<ProfileRuntime>? {
    let runtime = ProfileRuntime(profile: profile, clock: WallClock(nanosecondsAtZero: 0))
    return try? HostStack(profile.hostConfiguration(seed: 0), application: runtime)
  }

  /// The number of characteristics.
  var count: Int { behaviors.count }

  /// Returns a value that the characteristic with this number may accept; nil if none is known.
  func octets(for number: Int, _ random: inout SplitMix64) -> [UInt8]? {
    guard let behavior = behaviors.cycled(number) ?? nil else { return nil }
    if let point = behavior.controlPoint { return Self.command(of: point, &random) }
    let conditions = behavior.writeRules.map(\.condition).filter { $0 != .any }
    if !conditions.isEmpty, random.upTo(3) > 0 {
      return Self.octets(meeting: conditions[Int(random.upTo(UInt64(conditions.count - 1)))], &random)
    }
    guard case .constant(let value) = behavior.source, var octets = try? behavior.format.encode(value), !octets.isEmpty
    else { return nil }
    // The initial value, or a neighboring one.
    let place = Int(random.upTo(UInt64(octets.count - 1)))
    octets[place] &+= UInt8(random.upTo(2))
    return octets
  }

  private static func command(of point: ControlPoint, _ random: inout SplitMix64) -> [UInt8]? {
    guard !point.commands.isEmpty else { return nil }
    let command = point.commands[Int(random.upTo(UInt64(point.commands.count - 1)))]
    var octets = [command.opcode]
    for parameter in command.parameters {
      switch parameter.kind {
      case .value(let format): octets += noise(format.fixedSize ?? Int(random.upTo(4)), &random)
      case .terminatedText: octets += [0x61, 0]
      case .attributes: octets.append(UInt8(random.upTo(8)))
      // Mostly the operator for all records.
      case .records: octets += random.upTo(3) == 0 ? noise(3, &random) : [0x01]
      }
    }
    return octets
  }

  private static func octets(meeting condition: WriteRule.Condition, _ random: inout SplitMix64) -> [UInt8] {
    switch condition {
    case .octets(let octets): octets
    case .first(let octet): [octet] + noise(Int(random.upTo(4)), &random)
    case .length(let range): noise(min(512, range.lowerBound + Int(random.upTo(4))), &random)
    case .any: []
    }
  }

  /// Returns random octets. Small numbers are more likely than others.
  private static func noise(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.upTo(2) == 0 ? random.next() : random.upTo(8)) }
  }
}
