import BLECore
import BLEL2CAP
import BLELink
import Simulation
import Testing

/// The group L2CAP/COS/CED over LE: C-frames whose lengths are wrong (Core 5.4 Vol 3 Part A 3.1, 4). A frame on LE has one command. Nothing of a
/// wrong one is carried out, and the accessory answers the next.
@Suite("L2CAP/COS/CED over LE")
struct MalformedSignallingTests {
  /// A request for a channel from 0x0050: the basic one, or the enhanced one.
  enum Kind: CaseIterable {
    case basic, enhanced

    fileprivate func octets(identifier: UInt8) -> [UInt8] {
      switch self {
      case .basic: [0x14, identifier, 10, 0, 0x80, 0, 0x50, 0, 200, 0, 64, 0, 5, 0]
      case .enhanced: [0x17, identifier, 10, 0, 0x80, 0, 200, 0, 64, 0, 5, 0, 0x50, 0]
      }
    }
  }

  /// A request to close the channel from 0x0051.
  private static func end(of channel: ChannelID, identifier: UInt8) -> [UInt8] {
    [0x06, identifier, 4, 0] + channel.rawValue.littleEndianOctets + [0x51, 0]
  }

  /// Expects that a frame opens no channel, does not close the open one and is at most rejected, and that a request after it is answered.
  private func ignores(
    length: Int? = nil, _ kind: Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ frame: (_ open: ChannelID) -> [UInt8]
  ) throws {
    let scene = try EnhancedChannelScene(.lowEnergy)
    let open = try #require(scene.open([0x51]).first)
    (scene.accessory.events, scene.central.frames) = ([], [])
    let octets = frame(open)
    let header = UInt16(length ?? octets.count).littleEndianOctets + scene.signalling.rawValue.littleEndianOctets
    try scene.central.sendFragment(header + octets, isFirst: true)
    scene.simulation.run(for: .seconds(1))
    let answers = scene.central.frames.filter { $0.channel == scene.signalling }.map(\.payload)
    #expect(answers.allSatisfy { $0.first == 0x01 }, sourceLocation: sourceLocation)
    let events = scene.accessory.events.filter { if case .channel = $0 { true } else { false } }
    #expect(events.isEmpty, sourceLocation: sourceLocation)
    scene.central.frames = []
    try scene.central.send(kind.octets(identifier: 9), on: scene.signalling)
    let answer = try #require(scene.central.next(on: scene.signalling), sourceLocation: sourceLocation)
    let response = try #require([UInt8](hexadecimal: answer), sourceLocation: sourceLocation)
    #expect(Array(response[..<2]) == [kind == .basic ? 0x15 : 0x18, 9], sourceLocation: sourceLocation)
    let end = DisconnectionRequest(destination: open, source: ChannelID(rawValue: 0x51))
    #expect(
      try scene.ask(end, for: DisconnectionResponse.self).destination == open, sourceLocation: sourceLocation)
  }

  @Test(
    "L2CAP/COS/CED/BI-05-C, L2CAP/COS/CED/BI-18-C: a frame that is longer than it says", arguments: Kind.allCases)
  func longerFrame(_ kind: Kind) throws { try ignores(length: 13, kind) { _ in kind.octets(identifier: 5) } }

  @Test(
    "L2CAP/COS/CED/BI-09-C, L2CAP/COS/CED/BI-20-C: a command that is longer than its frame", arguments: Kind.allCases)
  func longerCommand(_ kind: Kind) throws {
    var octets = kind.octets(identifier: 5)
    octets[2] = 11
    try ignores(kind) { _ in octets }
  }

  @Test("L2CAP/COS/CED/BI-11-C: a command with an octet too many", arguments: Kind.allCases)
  func longerDisconnection(_ kind: Kind) throws {
    try ignores(kind) { open in
      var octets = Self.end(of: open, identifier: 5)
      octets[2] = 5
      return octets + [0]
    }
  }

  @Test(
    "L2CAP/COS/CED/BI-13-C, L2CAP/COS/CED/BI-22-C: a stray octet after a command", arguments: Kind.allCases)
  func strayOctet(_ kind: Kind) throws { try ignores(kind) { _ in kind.octets(identifier: 5) + [0] } }

  @Test(
    """
    L2CAP/COS/CED/BI-16-C, L2CAP/COS/CED/BI-17-C, L2CAP/COS/CED/BI-24-C, L2CAP/COS/CED/BI-25-C: a truncated command after another one
    """, arguments: Kind.allCases)
  func truncated(_ kind: Kind) throws {
    var second = kind.octets(identifier: 6)
    second[2] = 11
    try ignores(kind) { _ in kind.octets(identifier: 5) + second }
    try ignores(kind) { open in
      var octets = Self.end(of: open, identifier: 6)
      octets[2] = 5
      return kind.octets(identifier: 5) + octets
    }
  }
}
