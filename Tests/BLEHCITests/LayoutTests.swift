import BLECore
import BLEHCI
import Testing

/// One layout, for the tests of all layouts.
struct LayoutCase: Sendable, CustomTestStringConvertible {
  let type: any (OctetLayout & Equatable).Type

  var testDescription: String { String(reflecting: type) }

  static let all: [LayoutCase] =
    CommandRegistry.all.map { LayoutCase(type: $0) }
    + CommandRegistry.all.compactMap { ($0 as? any HCISyncCommand.Type).map { LayoutCase(type: returnType($0)) } }
    + EventRegistry.all.map { LayoutCase(type: $0) }

  private static func returnType<Command: HCISyncCommand>(_: Command.Type) -> any (OctetLayout & Equatable).Type {
    Command.ReturnParameters.self
  }
}

@Suite struct LayoutTests {
  @Test("Values round trip", arguments: LayoutCase.all)
  func roundTrip(_ layout: LayoutCase) throws { try Self.checkRoundTrip(layout.type) }

  private static let pool: [UInt8] = {
    var random = SeededRandom(0)
    return random.octets(71_000)
  }()

  private static func checkRoundTrip<Layout: OctetLayout & Equatable>(_: Layout.Type) throws {
    #expect(try Layout(decoding: Layout().encoded) == Layout())
    var random = SeededRandom(1)
    for _ in 0..<100 {
      // Long enough for 255 entries of 255 octets; the start position varies.
      let start = Int.random(in: 0..<1000, using: &random)
      let value = try Layout.decodePrefix(of: pool.span.extracting(start..<start + 70_000)).value
      let octets = value.encoded
      let again = try Layout(decoding: octets)
      #expect(again == value)
      #expect(again.encoded == octets)
    }
  }

  @Test("Missing and extra octets throw", arguments: LayoutCase.all)
  func lengths(_ layout: LayoutCase) throws { try Self.checkLengths(layout.type) }

  /// The layouts with a last field that takes the rest.
  private static let openEnded: [any OctetLayout.Type] = [
    HCICommandComplete.self, HCIVendorEvent.self, HCISetEventFilter.self,
    ZephyrReadBuildInformation.ReturnParameters.self,
    ZephyrReadStaticAddresses.ReturnParameters.self, ZephyrReadSupportedCommands.ReturnParameters.self,
  ]

  private static func checkLengths<Layout: OctetLayout & Equatable>(_: Layout.Type) throws {
    let isOpenEnded = openEnded.contains { $0 == Layout.self }
    var random = SeededRandom(2)
    // Small octets keep lists short, so that truncating at every octet stays quick.
    let source = random.octets(2000).map { $0 & 0x03 }
    let octets = isOpenEnded ? Layout().encoded : try Layout.decodePrefix(of: source.span).value.encoded
    for length in 0..<octets.count {
      let cut = Array(octets.prefix(length))
      if isOpenEnded {
        if let value = try? Layout(decoding: cut) { #expect(value.encoded == cut) }
      } else {
        #expect(throws: LayoutFault.self) { try Layout(decoding: cut) }
      }
    }
    if isOpenEnded {
      #expect(try Layout(decoding: octets + [0x5A]).encoded == octets + [0x5A])
    } else {
      #expect(throws: LayoutFault.trailing(offset: octets.count, extra: 1)) { try Layout(decoding: octets + [0x5A]) }
    }
  }

  @Test("No octets trap", arguments: LayoutCase.all)
  func randomOctets(_ layout: LayoutCase) { Self.checkRandomOctets(layout.type) }

  private static func checkRandomOctets<Layout: OctetLayout & Equatable>(_: Layout.Type) {
    var random = SeededRandom(3)
    for _ in 0..<300 {
      let octets = random.octets(Int.random(in: 0...260, using: &random))
      guard let (value, consumed) = try? Layout.decodePrefix(of: octets.span) else { continue }
      #expect(consumed <= octets.count)
      #expect(value.encoded.count == consumed)
    }
  }

  @Test("Every field has a name", arguments: LayoutCase.all)
  func describes(_ layout: LayoutCase) { Self.checkDescription(layout.type) }

  private static func checkDescription<Layout: OctetLayout & Equatable>(_: Layout.Type) {
    let fields = Layout().described
    #expect(fields.isEmpty == Layout().encoded.isEmpty)
    for field in fields { #expect(!field.name.isEmpty) }
  }

  @Test("Whole packets have their code and length", arguments: CommandRegistry.all.indices)
  func commandPackets(_ index: Int) throws { try Self.checkCommand(CommandRegistry.all[index]) }

  private static func checkCommand<Command: HCICommand>(_: Command.Type) throws {
    let packet = Array(Command().h4)
    #expect(packet[0] == 0x01)
    let head = try CommandPacket(packet.span.extracting(1..<packet.count))
    #expect(head.opcode == Command.opcode)
    let parameters = packet.span.extracting(1..<packet.count).extracting(head.parameters)
    #expect(try Command(decoding: parameters) == Command())
    #expect(CommandRegistry.type(for: Command.opcode) == Command.self)
    #expect(Command.opcode.description.hasPrefix(Command.opcode.isVendor ? "HCI_Zephyr_" : "HCI_"))
  }

  @Test("Whole packets have their code and length", arguments: EventRegistry.all.indices)
  func eventPackets(_ index: Int) throws { try Self.checkEvent(EventRegistry.all[index]) }

  private static func checkEvent<Event: HCIEvent>(_: Event.Type) throws {
    let packet = Event().h4
    #expect(packet[0] == 0x04)
    let head = try EventPacket(packet.span.extracting(1..<packet.count))
    #expect(head.code == Event.code)
    #expect(head.subevent == (Event.self as? any LEMetaEvent.Type)?.subevent)
    let parameters = packet.span.extracting(1..<packet.count).extracting(head.parameters)
    #expect(try Event(decoding: parameters) == Event())
    #expect(EventRegistry.type(for: head.code, subevent: head.subevent) == Event.self)
    #expect(head.code.description.hasPrefix("HCI_"))
  }

  @Test("No code is used twice")
  func uniqueNumbers() {
    #expect(Set(CommandRegistry.all.map { $0.opcode }).count == CommandRegistry.all.count)
    let events = EventRegistry.all.map { "\($0.code) \(($0 as? any LEMetaEvent.Type)?.subevent.rawValue ?? 0)" }
    #expect(Set(events).count == EventRegistry.all.count)
  }

  @Test("Parameters over 255 octets are truncated, so that the stream stays synchronized")
  func oversized() throws {
    let command = LESetExtendedAdvertisingData { $0.data = Array(repeating: 7, count: 300) }
    let packet = command.h4
    #expect(packet.count == 4 + 255)
    #expect(packet[3] == 255)
    let event = LEAdvertisingReport { event in
      event.reports = Array(repeating: AdvertisingReport(), count: 100)
    }
    #expect(event.h4.count == 3 + 255)
  }

  @Test("Incomplete packet headers throw")
  func packetHeads() {
    for octets in [[], [0x0E], [0x0E, 0x01], [0x3E, 0x00], [0x0E, 0x00, 0x00]] as [[UInt8]] {
      #expect(throws: LayoutFault.self) { try EventPacket(octets.span) }
    }
    for octets in [[], [0x03], [0x03, 0x0C], [0x03, 0x0C, 0x01], [0x03, 0x0C, 0x00, 0x00]] as [[UInt8]] {
      #expect(throws: LayoutFault.self) { try CommandPacket(octets.span) }
    }
  }
}
