import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The accessory and a central without a host, over LE or BR/EDR, with enhanced credit-based channels between them.
struct EnhancedChannelScene {
  enum Transport: CaseIterable {
    case lowEnergy, classic
  }

  let simulation: RadioSimulation
  let accessory: SpecimenAccessory
  let central: RawDevice
  /// The signalling channel of the transport.
  let signalling: ChannelID
  private var identifier: UInt8 = 0x20

  /// SDUs of up to 100 octets in frames of up to 64; 4 credits; three channels.
  static let psm = SPSM(rawValue: 0x80)
  /// A PSM that needs an authenticated link, one that needs authorization, and one that needs a key of 16 octets.
  static let authenticated = SPSM(rawValue: 0x82)
  static let authorized = SPSM(rawValue: 0x83)
  static let longKey = SPSM(rawValue: 0x84)

  init(_ transport: Transport) throws {
    let change = { (configuration: inout HostConfiguration) in
      let parameters = ChannelParameters(mtu: 100, mps: 64, credits: .frames(4))
      configuration.channels = [
        PublishedChannel(psm: Self.psm, parameters: parameters, maximumChannels: 3),
        PublishedChannel(
          psm: Self.authenticated, parameters: parameters, requirement: AccessRequirement(protection: .authenticated)),
        PublishedChannel(
          psm: Self.authorized, parameters: parameters, requirement: AccessRequirement(needsAuthorization: true)),
        PublishedChannel(
          psm: Self.longKey, parameters: parameters,
          requirement: AccessRequirement(protection: .encrypted, minimumKeySize: 16)),
      ]
    }
    switch transport {
    case .lowEnergy:
      var configuration = Specimen.configuration()
      change(&configuration)
      let scene = try RawScene(configuration)
      (simulation, accessory, central) = (scene.simulation, scene.accessory, scene.central)
      signalling = .signalling
    case .classic:
      let scene = try ClassicScene.connected(ClassicScene.configuration { change(&$0) })
      (simulation, accessory, central) = (scene.simulation, scene.accessory, scene.central)
      signalling = .classicSignalling
    }
    simulation.run(for: .milliseconds(500))
    central.frames = []
  }

  // MARK: Signalling

  /// Returns the octets of a packet.
  static func octets(_ packet: some SignallingPacket, identifier: UInt8) -> [UInt8] {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return buffer.copy()
  }

  /// Sends a packet without waiting for an answer.
  func tell(_ packet: some SignallingPacket, identifier: UInt8 = 0x70) throws {
    try central.send(Self.octets(packet, identifier: identifier), on: signalling)
  }

  /// Returns the next packet of a kind from the accessory, with its identifier; nil if none arrives within 2 s.
  func next<Packet: SignallingPacket>(_ type: Packet.Type) throws -> (packet: Packet, identifier: UInt8)? {
    let fits = { (frame: RawDevice.Frame) in
      frame.channel == signalling && frame.payload.first == Packet.code.rawValue
    }
    simulation.run(until: { central.frames.contains(where: fits) }, limit: .seconds(2))
    guard let place = central.frames.firstIndex(where: fits) else { return nil }
    let octets = central.frames.remove(at: place).payload
    return (try Packet(decoding: Array(octets[4...])), octets[1])
  }

  /// Sends a request, and returns the answer.
  func ask<Answer: SignallingPacket>(
    _ request: some SignallingPacket, for type: Answer.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    try tell(request, identifier: 0x71)
    let found = try next(type)
    let answer = try #require(found, sourceLocation: sourceLocation)
    #expect(answer.identifier == 0x71, sourceLocation: sourceLocation)
    return answer.packet
  }

  /// Returns a request for channels with these CIDs at the central.
  static func request(
    _ sources: [UInt16] = [0x50], psm: SPSM = psm, mtu: UInt16 = 200, mps: UInt16 = 64, credits: UInt16 = 5
  ) -> CreditBasedConnectionRequest {
    var request = CreditBasedConnectionRequest()
    request.psm = psm
    (request.mtu, request.mps, request.initialCredits) = (mtu, mps, credits)
    request.sources = sources.map { ChannelID(rawValue: $0) }
    return request
  }

  /// Opens channels with these CIDs at the central, and returns the accessory's.
  func open(
    _ sources: [UInt16] = [0x50], mtu: UInt16 = 200, mps: UInt16 = 64, credits: UInt16 = 5
  ) throws -> [ChannelID] {
    let answer = try ask(
      Self.request(sources, mtu: mtu, mps: mps, credits: credits), for: CreditBasedConnectionResponse.self)
    try #require(answer.result == .success && answer.destinations.count == sources.count)
    #expect((answer.mtu, answer.mps, answer.initialCredits) == (100, 64, 4))
    return answer.destinations
  }

  /// Returns the result of a request for other lengths.
  func reconfigure(_ ids: [UInt16] = [0x50], mtu: UInt16 = 200, mps: UInt16 = 64) throws -> ReconfigureResult {
    var request = CreditBasedReconfigureRequest()
    (request.mtu, request.mps) = (mtu, mps)
    request.destinations = ids.map { ChannelID(rawValue: $0) }
    return try ask(request, for: CreditBasedReconfigureResponse.self).result
  }

  /// Whether the accessory asks for the end of a channel.
  func isClosed(_ id: ChannelID, remote: UInt16 = 0x50) throws -> Bool {
    guard let request = try next(DisconnectionRequest.self)?.packet else { return false }
    return request.destination.rawValue == remote && request.source == id
  }

  // MARK: Data

  /// The accessory's link.
  var link: ConnectionHandle { get throws { try #require(accessory.stack.linkStates.first?.handle) } }

  /// Makes the accessory send an SDU.
  func send(_ sdu: [UInt8], on channel: ChannelID) throws {
    try accessory.perform(.channel(.send(try link, channel, sdu)))
  }

  /// Returns the payloads of the K-frames that arrive on the central's channel within a while.
  func frames(on channel: UInt16 = 0x50) -> [[UInt8]] {
    simulation.run(for: .seconds(1))
    let id = ChannelID(rawValue: channel)
    defer { central.frames.removeAll { $0.channel == id } }
    return central.frames.filter { $0.channel == id }.map(\.payload)
  }

  /// Returns the SDUs that the accessory has received on a channel.
  func sdus(on channel: ChannelID) -> [[UInt8]] {
    simulation.run(for: .seconds(1))
    return accessory.events.compactMap { event in
      if case .sdu(_, channel, let octets) = event { octets } else { nil }
    }
  }

  /// Why channels that the accessory has requested were not opened.
  var refusals: [ChannelClosure] {
    accessory.events.compactMap { event in
      if case .channel(_, .closed(_, _, let closure, _)) = event { closure } else { nil }
    }
  }
}
