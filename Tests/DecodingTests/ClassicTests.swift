import BLECore
import BLEHCI
import BLEL2CAP
import Capture
import Testing

@testable import Decoding

/// Connections of BR/EDR. `Tests/Interop/test_capture_classic.py` decodes a whole session of another implementation.
@Suite("Decoded packets of BR/EDR")
struct ClassicTests {
  /// A link whose host has opened channels: it has CID 0x40 and so on, and the peer 0x50 and so on.
  struct Link {
    var decoder = PacketDecoder()
    var channels: UInt16 = 0

    static func packet(_ packet: some SignallingPacket, _ identifier: UInt8) -> [UInt8] {
      var buffer = OctetBuffer()
      packet.encodePacket(identifier: identifier, into: &buffer)
      return buffer.copy()
    }

    /// Processes a PDU, and returns its summary and its line.
    mutating func receive(
      _ direction: CapturedPacket.Direction, _ channel: UInt16, _ pdu: [UInt8]
    ) -> (summary: PacketSummary, text: String, tree: [DecodedLayer]) {
      let record = DecodingTests.acl(direction, channel, pdu)
      let summary = decoder.receive(record)
      return (summary, decoder.text(of: summary, in: record), decoder.tree(of: summary, in: record))
    }

    mutating func sent(_ channel: UInt16, _ hex: String) -> (summary: PacketSummary, text: String, tree: [DecodedLayer])
    {
      receive(.hostToController, channel + 0x50, [UInt8](hexadecimal: hex) ?? [])
    }

    mutating func received(
      _ channel: UInt16, _ hex: String
    ) -> (summary: PacketSummary, text: String, tree: [DecodedLayer]) {
      receive(.controllerToHost, channel + 0x40, [UInt8](hexadecimal: hex) ?? [])
    }

    /// Opens a channel, and returns its number.
    @discardableResult
    mutating func open(_ psm: PSM) -> UInt16 {
      defer { channels += 1 }
      let (own, other) = (ChannelID(rawValue: channels + 0x40), ChannelID(rawValue: channels + 0x50))
      let identifier = UInt8(truncatingIfNeeded: channels + 1)
      _ = receive(.hostToController, 1, Self.packet(ChannelConnectionRequest(psm: psm, source: own), identifier))
      let answer = ChannelConnectionResponse(destination: other, source: own)
      _ = receive(.controllerToHost, 1, Self.packet(answer, identifier))
      return channels
    }

    /// Asks for options of the last channel, from both sides.
    mutating func configure(_ options: [ConfigurationOption]) {
      let last = channels - 1
      for (direction, cid) in [
        (CapturedPacket.Direction.hostToController, last + 0x50), (.controllerToHost, last + 0x40),
      ] {
        let request = ConfigurationRequest(destination: ChannelID(rawValue: cid), options: options)
        _ = receive(direction, 1, Self.packet(request, 0x70))
      }
    }
  }

  @Test("a connection begins with its peer, and its events and commands belong to it")
  func connection() throws {
    var decoder = PacketDecoder()
    let complete = HCIConnectionComplete {
      $0.connectionHandle = ConnectionHandle(rawValue: 0x40)
      $0.address = DeviceAddress(bits: 0x00_096A_2426_38)
    }
    let mode = HCIModeChange {
      $0.connectionHandle = ConnectionHandle(rawValue: 0x40)
      $0.mode = .sniff
      $0.interval.rawValue = 800
    }
    let key = HCILinkKeyRequestReply { $0.address = DeviceAddress(bits: 0x00_096A_2426_38) }
    let records = [
      CaptureRecord(.hci(.controllerToHost), octets: complete.h4),
      CaptureRecord(.hci(.controllerToHost), octets: mode.h4), CaptureRecord(.hci(.hostToController), octets: key.h4),
    ]
    var statistics = CaptureStatistics()
    var lines: [String] = []
    for record in records {
      let summary = decoder.receive(record)
      #expect(summary.address == 0x00_096A_2426_38 && summary.fault == nil)
      lines.append(decoder.text(of: summary, in: record))
      statistics.count(summary, record)
    }
    #expect(lines[0].hasPrefix("Connection Complete - Status: Success (0x00) - Connection Handle: 0x0040"))
    #expect(lines[1].hasSuffix("Current Mode: Sniff (0x02) - Interval: 0.5 seconds"))
    #expect(lines[2].hasPrefix("Link Key Request Reply - BD ADDR: 00:09:6A:24:26:38"))
    #expect(statistics.connections.map(\.isClassic) == [true])
    #expect(statistics.counters.text == "3 total (0 Err / 3 HCI / 0 ACL / 0 SCO / 0 Misc)")
  }

  @Test("inquiry results, names and classes are read as text")
  func inquiry() throws {
    var decoder = PacketDecoder()
    let result = HCIExtendedInquiryResult {
      $0.response.address = DeviceAddress(bits: 1)
      $0.response.classOfDevice = ClassOfDevice(services: [.audio, .rendering], major: .audioVideo, minor: 6)
      $0.response.rssi = -40
      $0.extendedResponse.replaceSubrange(0..<5, with: [4, 9, 65, 66, 67])
    }
    var record = CaptureRecord(.hci(.controllerToHost), octets: result.h4)
    var summary = decoder.receive(record)
    #expect(
      decoder.text(of: summary, in: record)
        == "Extended Inquiry Result - BD ADDR: 00:00:00:00:00:01 - Class Of Device: Audio/Video - Headphones - "
        + "Rendering, Audio (0x240418) - RSSI: -40 - \"ABC\"")
    let name = HCIRemoteNameRequestComplete { $0.name.replaceSubrange(0..<2, with: Array("Hi".utf8)) }
    record = CaptureRecord(.hci(.controllerToHost), octets: name.h4)
    summary = decoder.receive(record)
    #expect(decoder.text(of: summary, in: record).hasSuffix("Remote Name: \"Hi\""))
  }

  @Test("synchronous data has its handle, status and length")
  func synchronous() {
    var decoder = PacketDecoder()
    let record = CaptureRecord(.hci(.controllerToHost), octets: [3, 0x01, 0x11, 2, 7, 8])
    let summary = decoder.receive(record)
    #expect(summary.layer == .sco && summary.handle == 0x101 && summary.fault == nil)
    #expect(decoder.text(of: summary, in: record) == "SCO Data - Status: possibly invalid - 2 octets")
    #expect(decoder.tree(of: summary, in: record)[0].fields.map(\.name).contains("Packet Status Flag"))
    let short = CaptureRecord(.hci(.controllerToHost), octets: [3, 0x01, 0x11, 3, 7, 8])
    #expect(decoder.receive(short).fault == .malformed)
  }

  @Test("several signalling packets in a frame are all processed, and named")
  func severalPackets() throws {
    var link = Link()
    let first = Link.packet(ChannelConnectionRequest(psm: .serviceDiscovery, source: ChannelID(rawValue: 0x40)), 1)
    let both = link.receive(.hostToController, 1, first + Link.packet(InformationRequest(.extendedFeatures), 2))
    #expect(both.summary.fault == nil)
    #expect(both.text == "Connection Request - PSM: SDP (0x0001) - Source CID: 0x0040 - and Information Request")
    #expect(both.tree.last?.fields.map(\.name) == ["Connection Request", "Information Request"])
    let answer = link.receive(
      .controllerToHost, 1, Link.packet(InformationResponse(extendedFeatures: [.streamingMode]), 2))
    #expect(answer.summary.request == 1 && answer.summary.fault == nil)
    #expect(answer.text.hasSuffix("Extended Feature Mask: Streaming Mode (0x00000010)"))
    #expect(link.receive(.hostToController, 1, first + [1, 2]).summary.fault == .malformed)
  }

  @Test("a pending response is followed by another one")
  func pending() {
    var link = Link()
    let (own, other) = (ChannelID(rawValue: 0x40), ChannelID(rawValue: 0x50))
    _ = link.receive(
      .hostToController, 1, Link.packet(ChannelConnectionRequest(psm: .attributeProtocol, source: own), 1))
    for result in [ConnectionResult.pending, .success] {
      let answer = ChannelConnectionResponse(destination: other, source: own, result: result)
      #expect(link.receive(.controllerToHost, 1, Link.packet(answer, 1)).summary.fault == nil)
    }
    let request = link.sent(0, "0a0300")
    #expect(request.summary.layer == .att && request.text.hasPrefix("Read Request - "))
    let response = link.received(0, "0b2a")
    #expect(response.summary.request == request.summary.number && response.summary.attribute == 3)
    #expect(response.tree.map(\.name) == ["ACL", "L2CAP", "ATT"])
  }

  @Test("SDP: patterns and attributes are text, and lists in several parts are read as one")
  func serviceDiscovery() throws {
    var link = Link()
    link.open(.serviceDiscovery)
    let request = link.sent(0, "06 0001 000f 3503190100 ffff 35050a0000ffff 00")
    #expect(request.text.hasPrefix("Service Search Attribute Request - Service Search Pattern: [L2CAP (0x0100)]"))
    let first = link.received(0, "07 0001 000c 0007 35093507090001 02 aabb")
    #expect(first.summary.request == request.summary.number && first.summary.sdu == nil)
    let next = link.sent(0, "06 0002 0011 3503190100 ffff 35050a0000ffff 02 aabb")
    #expect(next.summary.fault == nil)
    let last = link.received(0, "07 0002 0007 0004 19 1101 08 00")
    #expect(last.summary.fault == nil)
    let lists = link.received(0, "07 0003 0007 0004 19 1101 08 00").summary
    #expect(lists.fault == .unexpectedResponse)
    let error = link.received(0, "01 0002 0002 0005")
    #expect(error.text.contains("Invalid Continuation State (0x0005)"))
    let cut = link.sent(0, "02 0003 0009 35")
    #expect(cut.summary.fault == .malformed && cut.text.hasSuffix("Malformed"))
  }

  @Test("SDP: the parts of a list are joined")
  func parts() throws {
    var link = Link()
    link.open(.serviceDiscovery)
    _ = link.sent(0, "04 0001 000e 00010000 ffff 35050a0000ffff 00")
    _ = link.received(0, "05 0001 0008 0003 35 06 09 02 aabb")
    _ = link.sent(0, "04 0002 0010 00010000 ffff 35050a0000ffff 02 aabb")
    let last = link.received(0, "05 0002 0008 0005 0001 19 1101 00")
    #expect(last.summary.sdu == [0x35, 0x06, 0x09, 0x00, 0x01, 0x19, 0x11, 0x01])
    #expect(last.text.contains("Attribute List: [0x0001, SerialPort (0x1101)]"))
    let list = try #require(last.tree.last?.fields.first { $0.name == "Attribute List" })
    #expect(list.children.map(\.name) == ["Attribute ID", "ServiceClassIDList (0x0001)"])
  }

  @Test("RFCOMM: frames, credits, text and the multiplexer's commands")
  func serial() {
    var link = Link()
    link.open(.rfcomm)
    #expect(link.sent(0, "033f011c").text == "SABM - DLCI: 0")
    #expect(link.sent(0, "2bef0741540d9a").text == "UIH - DLCI: 10 (server channel 5) - Data: \"AT\\r\"")
    #expect(link.sent(0, "2bff05074f4b40").text == "UIH - DLCI: 10 (server channel 5) - Credits: 7 - Data: \"OK\"")
    let negotiation = link.sent(0, "03ef1583110af00700e803000770")
    #expect(negotiation.text.hasPrefix("UIH - Parameter Negotiation Command - DLCI: 10 - Convergence Layer: credit"))
    #expect(negotiation.summary.layer == .rfcomm && negotiation.summary.opcode == 0xEF)
    #expect(link.sent(0, "03ef09e3052b8d70").text == "UIH - Modem Status Command - DLCI: 10 - Signals: RTC, RTR, DV")
  }

  @Test("AVDTP: signals and their stream ids, rejects, and media on the second channel")
  func media() {
    var link = Link()
    link.open(.audioVideoDistribution)
    link.open(.audioVideoDistribution)
    #expect(link.sent(0, "1001").text == "Discover Command - Transaction: 1")
    let answer = link.received(0, "1201 0408 0a00")
    #expect(
      answer.text
        == "Discover Accept - Transaction: 1 - Stream Endpoint: 1, Audio sink - Stream Endpoint: 2, in use, Audio source"
    )
    #expect(answer.summary.request == 5)
    #expect(
      link.sent(0, "2003 04 08 0100 0706 0000 21150235").text
        == "Set Configuration Command - Transaction: 2 - ACP SEID: 1 - INT SEID: 2 - Media Transport: 0 octets - "
        + "Media Codec: SBC")
    let rejected = link.received(0, "2303 07 29")
    #expect(rejected.summary.status == 0x29)
    #expect(rejected.text.hasSuffix("Service Category: Media Codec - Error Code: Unsupported Configuration"))
    let packet = link.sent(1, "8060 0005 00000200 00000001 01" + "9c")
    #expect(packet.text == "Media - Sequence Number: 5 - Timestamp: 512 - Media Payload: 2 octets")
    let level = packet.summary.level(in: DecodingTests.acl(.hostToController, 0x51, []))
    #expect(level == .debug)
  }

  @Test("AVCTP: AVRCP's operations and PDUs, and browsing")
  func control() {
    var link = Link()
    link.open(.audioVideoControl)
    link.open(.audioVideoControlBrowsing)
    let play = link.sent(0, "00110e 00 48 7c 44 00")
    #expect(play.text.hasPrefix("AVRCP Pass Through - Control - Transaction: 0 - Operation: Play pressed"))
    let volume = link.sent(0, "10110e 03 48 00 001958 31 00 0005 0d 00000000")
    #expect(volume.text.hasPrefix("AVRCP Register Notification - Notify - Transaction: 1 - Event: Volume Changed"))
    let interim = link.received(0, "12110e 0f 48 00 001958 31 00 0002 0d 40")
    let changed = link.received(0, "12110e 0d 48 00 001958 31 00 0002 0d 50")
    #expect(interim.summary.request == volume.summary.number && changed.summary.request == volume.summary.number)
    #expect(link.received(0, "13 110e").text == "AVCTP Invalid Profile - Transaction: 1 - No matching request")
    let items = link.sent(1, "20110e 71 000a 00 00000000 00000009 00")
    #expect(items.text.hasPrefix("AVRCP Get Folder Items Command - Transaction: 2"))
    #expect(items.summary.layer == .avctp && items.summary.opcode == 0x171)
  }

  @Test("HID and BNEP: the transaction or packet, and its main fields")
  func others() {
    var link = Link()
    link.open(.hidInterrupt)
    link.open(.networkEncapsulation)
    #expect(link.received(0, "a1010203").text == "Data - Report Type: Input - Data: 010203")
    #expect(link.received(0, "00").text == "Handshake - Result: Successful")
    #expect(
      link.sent(1, "01 01 02 1116 1115").text
        == "Setup Connection Request - UUID Size: 2 - Destination Service: 1116 - Source Service: 1115")
    #expect(
      link.sent(1, "00 c0ffee000001 c0ffee000002 0800 45").text
        == "General Ethernet - Destination: C0:FF:EE:00:00:01 - Source: C0:FF:EE:00:00:02 - Protocol: IPv4 - "
        + "Payload: 1 octets")
    #expect(link.received(1, "02 86dd 60").text == "Compressed Ethernet - Protocol: IPv6 - Payload: 1 octets")
  }

  @Test("an unknown PSM is named, and connectionless data has its own")
  func unknown() {
    var link = Link()
    link.open(PSM(rawValue: 0x1001))
    #expect(link.sent(0, "0102").text == "Channel 0x0050 - PSM 0x1001 - 2 octets")
    #expect(
      link.receive(.hostToController, 2, [0x0F, 0, 7]).text == "Connectionless Data - PSM: BNEP (0x000F) - 1 octets")
  }

  @Test("frames with a control field are unpacked: I-frames, S-frames and segments")
  func retransmission() {
    var link = Link()
    link.open(.audioVideoControlBrowsing)
    link.configure([ConfigurationOption(RetransmissionOption(mode: .enhancedRetransmission))])
    let whole = link.sent(0, "0000 00110e 74 0000 aaaa")
    #expect(whole.summary.layer == .avctp && whole.text.hasPrefix("AVRCP Play Item Command - Transaction: 0"))
    #expect(link.received(0, "0101 bbbb").summary.layer == .l2cap)
    #expect(link.sent(0, "0240 0600 10110e aaaa").summary.layer == .l2cap)
    let last = link.sent(0, "0480 740000 aaaa")
    #expect(last.summary.layer == .avctp && last.summary.fault == nil)
    #expect(last.text.hasPrefix("AVRCP Play Item Command - Transaction: 1"))
    #expect(link.sent(0, "0600 aaaa").summary.fault == .malformed)
    var option = FrameCheckOption()
    option.check = .none
    link.configure([ConfigurationOption(option)])
    #expect(link.sent(0, "0000 20110e 74 0000").text.hasPrefix("AVRCP Play Item Command - Transaction: 2"))
  }

  @Test("a channel is closed by a disconnection, and its CIDs can have another protocol")
  func closing() {
    var link = Link()
    link.open(.serviceDiscovery)
    let (own, other) = (ChannelID(rawValue: 0x40), ChannelID(rawValue: 0x50))
    _ = link.receive(.hostToController, 1, Link.packet(DisconnectionRequest(destination: other, source: own), 9))
    _ = link.receive(.controllerToHost, 1, Link.packet(DisconnectionResponse(destination: other, source: own), 9))
    #expect(link.sent(0, "0200").summary.layer == .l2cap)
    link.channels = 0
    link.open(.hidControl)
    #expect(link.sent(0, "71").text == "Set Protocol - Protocol: Report")
  }

  @Test(
    "every PDU is decoded when it is cut at any octet",
    arguments: [
      PSM.serviceDiscovery, .rfcomm, .audioVideoDistribution, .audioVideoControl, .audioVideoControlBrowsing,
      .hidControl, .networkEncapsulation, .attributeProtocol,
    ])
  func cut(psm: PSM) {
    for mode in [ChannelMode.basic, .enhancedRetransmission] {
      var link = Link()
      link.open(psm)
      link.open(psm)
      link.configure([ConfigurationOption(RetransmissionOption(mode: mode))])
      for code in UInt8.min ... .max {
        for count in 0...20 {
          let rest: [UInt8] = [0, 1, 0, 12, 0x35, 3, 0x19, 0x11, 1, 0xFF, 0xFF, 0x35, 3, 9, 0, 1, 0]
          let pdu = Array(([code] + rest).prefix(count)) + [UInt8](repeating: code, count: max(0, count - 18))
          for channel in [UInt16(0x40), 0x41] {
            DecodingTests.decode(DecodingTests.acl(.controllerToHost, channel, pdu), &link.decoder)
            DecodingTests.decode(DecodingTests.acl(.hostToController, channel + 0x10, pdu), &link.decoder)
          }
        }
      }
    }
  }
}
