import BLECore
import BLEHCI
import VirtualRadio

/// Two virtual controllers on the same air. Their hosts send anything, and the input moves the time.
package enum RadioTarget: FuzzTarget {
  package static let name = "radio"
  package static let maximumLength = 1024

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    var bench = try RadioBench(&input)
    try bench.play(&input)
  }
}

extension ControllerConfiguration {
  /// The controller without the assertions of real controllers. An assertion leaves commands unanswered, and
  /// here every command must have an answer.
  fileprivate var withoutAssertions: ControllerConfiguration {
    var copy = self
    copy.fatalCommands = []
    copy.deviations.subtract([
      .assertsPacketType, .assertsDataBuffers, .assertsOneCommand, .assertsParameterLength, .takesAnyDataOperation,
    ])
    return copy
  }
}

/// The air and its two hosts.
private struct RadioBench {
  /// The most time that passes in a run.
  private static let timeLimit = Instant.zero + .seconds(30)
  /// More deadlines than happen in a second: a link with the shortest interval has 133 connection events, each with some packets.
  private static let deadlineLimit = 50_000

  /// What a controller owes its host.
  private struct Host {
    var id: ControllerID
    var dataLength: Int
    /// Whether the controller has only got whole packets.
    var isOrderly = true
    /// The commands that the controller must still answer.
    var commands: [CommandOpcode] = []
    /// The packets that were sent and not given back, over all connections.
    var packets = 0
  }

  private let air: Air
  private var hosts: [Host] = []

  init(_ input: inout FuzzInput) throws(Violation) {
    let flags = input.octet()
    air = Air(configuration: AirConfiguration(seed: 1, timing: flags & 1 == 0 ? .linkLayer : .immediate))
    let presets = ControllerConfiguration.presets
    for number in 0..<2 {
      let preset = presets[input.below(presets.count)].configuration.withoutAssertions
      let address = DeviceAddress(bits: 0x0012_3400_0001 + UInt64(number))
      let id = air.addController(configuration: preset.with(publicAddress: address))
      hosts.append(Host(id: id, dataLength: Int(max(preset.aclDataLength, preset.classic?.aclDataLength ?? 0))))
    }
    try collect()
    if flags & 2 != 0 { try connect() }
    if flags & 4 != 0 { try connectClassic() }
  }

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd { try step(&input) }
    try advance(.milliseconds(100))
    for host in hosts {
      try require(air.takeHostFaults(of: host.id).count <= 64, "there are more faults than are kept")
      air.removeController(host.id)
    }
    try require(air.controllersWithOutput.isEmpty, "removed controllers still have output")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    let host = input.below(2)
    switch input.below(6) {
    case 0: try command(&input, from: host)
    case 1: try command(&input, from: host, changes: input.below(4))
    case 2:
      hosts[host].isOrderly = false
      try send(input.run(), from: host)
    case 3: try data(&input, from: host)
    case 4: try advance(.milliseconds(4 * Int(input.octet())))
    default: try advance(.microseconds(625 * Int(input.octet())))
    }
  }

  // MARK: From the hosts

  /// Sends a command with any parameters.
  private mutating func command(_ input: inout FuzzInput, from host: Int) throws(Violation) {
    let type = input.command()
    try command(type.opcode, input.run(), from: host)
  }

  /// Sends a command with its default parameters, except for some octets.
  private mutating func command(_ input: inout FuzzInput, from host: Int, changes: Int) throws(Violation) {
    let type = input.command()
    var parameters = type.init().encoded
    for _ in 0..<changes {
      let place = input.below(64)
      let octet = input.octet()
      if parameters.indices.contains(place) { parameters[place] = octet }
    }
    try command(type.opcode, parameters, from: host)
  }

  private mutating func command(
    _ opcode: CommandOpcode, _ parameters: [UInt8], from host: Int
  ) throws(Violation) {
    // This is the one command that is not answered as long as nothing is wrong with it (Core 5.4 Vol 4 Part E 7.3.40).
    let isSilent =
      opcode == .hostNumberOfCompletedPackets && (try? HCIHostNumberOfCompletedPackets(decoding: parameters)) != nil
    if opcode == .reset, parameters.isEmpty { hosts[host].packets = 0 }
    hosts[host].commands.append(opcode)
    try send(
      [H4PacketType.command.rawValue, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)]
        + [UInt8(parameters.count)] + parameters, from: host)
    if hosts[host].isOrderly, !isSilent {
      try require(hosts[host].commands.isEmpty, "\(opcode) is not answered")
    }
    hosts[host].commands = []
  }

  private mutating func data(_ input: inout FuzzInput, from host: Int) throws(Violation) {
    let handle = UInt16(input.below(4))
    let flags = UInt16(input.below(16))
    let data = input.run()
    let word = handle | flags << 12
    hosts[host].packets += 1
    try send(
      [H4PacketType.acl.rawValue, UInt8(word & 0xFF), UInt8(word >> 8), UInt8(data.count), 0] + data, from: host)
  }

  private mutating func send(_ octets: [UInt8], from host: Int) throws(Violation) {
    air.receive(octets.span, from: hosts[host].id, at: air.now)
    try collect()
  }

  /// Lets time pass from deadline to deadline.
  private mutating func advance(_ duration: Duration) throws(Violation) {
    let end = min(air.now + duration, Self.timeLimit)
    var count = 0
    while let deadline = air.nextDeadline, deadline <= end {
      count += 1
      try require(count < Self.deadlineLimit, "the air makes no progress at \(air.now)")
      air.advance(to: deadline)
      try collect()
    }
    if end > air.now { air.advance(to: end) }
    try collect()
  }

  // MARK: To the hosts

  private mutating func collect() throws(Violation) {
    for id in air.controllersWithOutput {
      guard let host = hosts.firstIndex(where: { $0.id == id }) else {
        throw Violation(description: "an unknown controller has output")
      }
      var buffer = OctetBuffer()
      air.drain(id, into: &buffer)
      try take(buffer.copy(), host)
    }
  }

  private mutating func take(_ octets: [UInt8], _ host: Int) throws(Violation) {
    var deframer = H4Deframer(side: .host)
    var offset = 0
    while let frame = deframer.next(in: octets.span, at: &offset) {
      guard case .given(let range) = frame.place else { throw Violation(description: "a packet is incomplete") }
      switch frame.type {
      case .event: try take(event: Array(octets[range]), host)
      case .acl: try take(data: Array(octets[range]), host)
      default: throw Violation(description: "a controller sends packets of type \(frame.type.rawValue)")
      }
    }
    try require(
      deframer.skippedOctets == 0 && deframer.pendingOctets == 0,
      "a controller does not send whole packets: \(octets.hexadecimal)")
  }

  private mutating func take(event packet: [UInt8], _ host: Int) throws(Violation) {
    guard let event = try? EventPacket(packet.span) else { throw Violation(description: "an event is not valid") }
    let parameters = Array(packet[event.parameters])
    guard let type = EventRegistry.type(for: event.code, subevent: event.subevent),
      let decoded = try? type.init(decoding: parameters)
    else { throw Violation(description: "an event does not fit its layout: \(packet.hexadecimal)") }
    switch decoded {
    case let complete as HCICommandComplete: try answered(complete.opcode, host)
    case let status as HCICommandStatus: try answered(status.opcode, host)
    case let completed as HCINumberOfCompletedPackets:
      for entry in completed.completed { hosts[host].packets -= Int(entry.count) }
      if hosts[host].isOrderly {
        try require(hosts[host].packets >= 0, "more packets are reported as completed than were sent")
      }
    default: break
    }
  }

  private mutating func answered(_ opcode: CommandOpcode, _ host: Int) throws(Violation) {
    guard hosts[host].isOrderly, opcode != .none else { return }
    guard let place = hosts[host].commands.firstIndex(of: opcode) else {
      throw Violation(description: "\(opcode) is answered, but was not sent")
    }
    hosts[host].commands.remove(at: place)
  }

  private func take(data packet: [UInt8], _ host: Int) throws(Violation) {
    guard let header = try? ACLHeader(packet.span) else { throw Violation(description: "a data packet is not valid") }
    try require(
      header.length > 0 && header.length <= hosts[host].dataLength, "a packet of \(header.length) octets")
    try require(
      header.boundary == .firstFromController || header.boundary == .continuing, "a data packet has a wrong boundary")
  }

  // MARK: The first link

  /// Connects the two hosts with legacy commands.
  private mutating func connect() throws(Violation) {
    let address = DeviceAddress.randomStatic(from: 0x1122_3344)
    var all: [(Int, any HCICommand)] = []
    for host in 0..<2 {
      all += [
        (host, HCIReset()), (host, HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) }),
        (host, LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) }),
      ]
    }
    all += [
      (1, LESetRandomAddress { $0.address = address }),
      (
        1,
        LESetAdvertisingParameters {
          $0.intervalMinimum.rawValue = 0x20
          $0.intervalMaximum.rawValue = 0x20
          $0.ownAddressType = .random
        }
      ),
      (1, LESetAdvertisingEnable { $0.enable = true }), (0, LESetRandomAddress { $0.address = .randomStatic(from: 5) }),
      (
        0,
        LECreateConnection {
          $0.scanInterval.rawValue = 0x10
          $0.scanWindow.rawValue = 0x10
          $0.peerAddressType = .random
          $0.peerAddress = address
          $0.ownAddressType = .random
          $0.intervalMinimum.rawValue = 24
          $0.intervalMaximum.rawValue = 24
          $0.supervisionTimeout.rawValue = 100
        }
      ),
    ]
    for (host, step) in all { try command(type(of: step).opcode, step.encoded, from: host) }
    try advance(.milliseconds(200))
  }

  /// Connects the two hosts over BR/EDR, if both controllers have it.
  private mutating func connectClassic() throws(Violation) {
    let addresses = hosts.compactMap { air.configuration(of: $0.id)?.publicAddress }
    let before: [(Int, any HCICommand)] = [
      (0, HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) }),
      (1, HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) }),
      (0, HCIWriteSimplePairingMode { $0.isEnabled = true }), (1, HCIWriteSimplePairingMode { $0.isEnabled = true }),
      (1, HCIWriteScanEnable { $0.scans = .page }), (0, HCICreateConnection { $0.address = addresses[1] }),
    ]
    for (host, step) in before { try command(type(of: step).opcode, step.encoded, from: host) }
    try advance(.seconds(3))
    let acceptance = HCIAcceptConnectionRequest { $0.address = addresses[0] }
    try command(HCIAcceptConnectionRequest.opcode, acceptance.encoded, from: 1)
    try advance(.milliseconds(200))
  }
}

extension RadioTarget {
  package static var seeds: [Seed] { RadioSeeds.all }
}
