import BLECore
import BLEGAP
import BLEHCI

/// Events and commands (Core 5.4 Vol 4 Part E 7): every layout alone, and a host that gets events of any kind.
package enum EventsTarget: FuzzTarget {
  package static let name = "events"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    guard input.flag() else { return try runLayout(&input) }
    var bench = try HostBench()
    try bench.play(&input)
  }

  /// Runs one layout: that of an event, of a command's parameters, or of a command's return parameters.
  private static func runLayout(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(4) {
    case 0:
      let type = input.event()
      try checkEvent(type, input.rest())
    case 1:
      let type = input.command()
      try checkCommand(type, input.rest())
    case 2: try checkAdvertisingData(input.rest())
    default:
      let packet = input.rest()
      if let event = try? EventPacket(packet.span) {
        try require(event.parameters.upperBound == packet.count, "an event's parameters do not end with the packet")
      }
      if let command = try? CommandPacket(packet.span) {
        try require(command.parameters.upperBound == packet.count, "a command's parameters do not end with the packet")
      }
    }
  }

  private static func checkEvent<Event: HCIEvent>(_ type: Event.Type, _ octets: [UInt8]) throws(Violation) {
    guard let event = try checkLayout(type, octets) else { return }
    guard event.encoded.count < 255 else { return }
    let packet = Array(event.h4.dropFirst())
    guard let place = try? EventPacket(packet.span) else {
      throw Violation(description: "\(type) does not make a packet")
    }
    try require(Array(packet[place.parameters]) == event.encoded, "\(type) has other parameters in its packet")
  }

  private static func checkCommand<Command: HCICommand>(_ type: Command.Type, _ octets: [UInt8]) throws(Violation) {
    if let command = try checkLayout(type, octets), command.encoded.count <= 255 {
      let packet = Array(command.h4.dropFirst())
      guard let place = try? CommandPacket(packet.span) else {
        throw Violation(description: "\(type) does not make a packet")
      }
      try require(Array(packet[place.parameters]) == command.encoded, "\(type) has other parameters in its packet")
    }
    if let type = type as? any HCISyncCommand.Type { try checkReturn(of: type, octets) }
  }

  private static func checkReturn<Command: HCISyncCommand>(
    of type: Command.Type, _ octets: [UInt8]
  ) throws(Violation) {
    _ = try checkLayout(Command.ReturnParameters.self, octets)
    guard let returned = try? Command.returned(octets.span) else { return }
    try require(octets.first == returned.status.rawValue, "\(type) returns another status")
  }

  /// Checks that octets which decode encode again to as many octets, and that those decode to the same value.
  @discardableResult
  static func checkLayout<Layout: OctetLayout & Equatable>(
    _ type: Layout.Type, _ octets: [UInt8]
  ) throws(Violation) -> Layout? {
    guard let (value, consumed) = try? type.decodePrefix(of: octets.span) else { return nil }
    try require(consumed <= octets.count, "\(type) decodes more octets than there are")
    let encoded = value.encoded
    try require(encoded.count == consumed, "\(type) decodes \(consumed) octets and encodes \(encoded.count)")
    try require(
      (try? type.init(decoding: encoded)) == value,
      "\(type) changes when it is encoded and decoded: \(encoded.hexadecimal)")
    try require(!value.described.isEmpty || consumed == 0, "\(type) does not describe its fields")
    return value
  }

  /// Checks advertising data (Core 5.4 Vol 3 Part C 11) as it comes in a report.
  private static func checkAdvertisingData(_ octets: [UInt8]) throws(Violation) {
    let data = AdvertisingData(parsing: octets)
    guard let encoded = try? data.encoded(limit: octets.count) else {
      throw Violation(description: "advertising data becomes longer")
    }
    try require(AdvertisingData(parsing: encoded) == data, "advertising data changes when it is encoded and decoded")
  }
}

extension EventsTarget {
  package static var seeds: [Seed] { EventSeeds.all }
}
