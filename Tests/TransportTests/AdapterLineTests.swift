import BLECore
import Glibc
import Testing
import Transport

/// The kernel's HCI user channel reads and writes one packet at a time; a pair of sockets that preserve packets stands in for it.
@Suite("HCI user channel")
struct AdapterLineTests {
  /// A reset, the beginning of ACL data on handle 1 with a Read Request, and LE Set Event Mask.
  private static let packets: [[UInt8]] = [
    [0x01, 0x03, 0x0C, 0x00], [0x02, 0x01, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00],
    [0x01, 0x01, 0x20, 0x08, 0x1F, 0, 0, 0, 0, 0, 0, 0],
  ]

  private func packetSockets() throws -> (line: Line, kernel: CInt) {
    var descriptors: [CInt] = [-1, -1]
    try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &descriptors) == 0)
    return (Line(adopting: descriptors[0], unit: .packet), descriptors[1])
  }

  /// Returns the next packet that the kernel's side received; nil if there is none.
  private func next(_ kernel: CInt) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 70_000)
    let count = recv(kernel, &room, room.count, 0)
    return count > 0 ? Array(room.prefix(count)) : nil
  }

  @Test("Each packet of a run is written separately")
  func writing() throws {
    let (line, kernel) = try packetSockets()
    defer { close(kernel) }
    let run = Self.packets.flatMap(\.self)
    #expect(line.write(run.span) == .sent)
    for packet in Self.packets { #expect(next(kernel) == packet) }
    #expect(next(kernel) == nil)
  }

  @Test("Packets that the kernel does not accept at once follow whole and in order")
  func queueing() throws {
    let (line, kernel) = try packetSockets()
    defer { close(kernel) }
    var sent: [[UInt8]] = []
    var queued = false
    while !queued {
      let packet: [UInt8] = [0x01, 0x08, 0x20, 0x20] + (0..<32).map { UInt8(truncatingIfNeeded: sent.count + $0) }
      let run = packet + Self.packets[0]
      sent += [packet, Self.packets[0]]
      if case .queued = line.write(run.span) { queued = true }
    }
    var received: [[UInt8]] = []
    while received.count < sent.count {
      if let packet = next(kernel) { received.append(packet) } else { _ = line.flush() }
    }
    #expect(received == sent)
    #expect(!line.hasPending)
  }

  @Test("A read returns one packet, and the end of the adapter is detected")
  func reading() throws {
    let (line, kernel) = try packetSockets()
    let event: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    for _ in 0..<2 { #expect(send(kernel, event, event.count, 0) == event.count) }
    var octets = OctetBuffer()
    #expect(line.read(into: &octets) == .octets(event.count))
    #expect(line.read(into: &octets) == .octets(event.count))
    #expect(octets.copy() == event + event)
    #expect(line.read(into: &octets) == .wouldBlock)
    close(kernel)
    #expect(line.read(into: &octets) == .closed)
    #expect(line.write(event.span) == .closed)
  }

  @Test("Octets that begin no packet are passed on unchanged, for the kernel to refuse")
  func noPacket() throws {
    let (line, kernel) = try packetSockets()
    defer { close(kernel) }
    #expect(line.write([0x09, 1, 2, 3].span) == .sent)
    #expect(next(kernel) == [0x09, 1, 2, 3])
    // The end of a packet is missing.
    #expect(line.write([0x02, 1, 0, 7, 0, 3].span) == .sent)
    #expect(next(kernel) == [0x02, 1, 0, 7, 0, 3])
  }

  @Test(
    "An unusable adapter is reported with the reason and advice",
    arguments: [
      (EAFNOSUPPORT, .unsupported, "no access to Bluetooth", "modprobe"),
      (EPROTONOSUPPORT, .unsupported, "no access to Bluetooth", "modprobe"),
      (EPERM, .permissionDenied, "CAP_NET_ADMIN", "setcap"), (ENODEV, .notFound, "there is no hci3", "controllers"),
      (EBUSY, .busy, "switched on", "bluetoothctl power off"), (EUSERS, .busy, "another program", "end"),
      (ERFKILL, .busy, "rfkill", "rfkill unblock"),
    ] as [(CInt, TransportError.Kind, String, String)])
  func refusals(_ code: CInt, _ kind: TransportError.Kind, _ why: String, _ advice: String) throws {
    let error = TransportError.adapter(3, code)
    #expect(error.kind == kind)
    #expect(error.place == "hci:3")
    #expect(error.code == code)
    #expect(error.why.contains(why))
    #expect(try #require(error.advice).contains(advice))
  }

  @Test("An adapter that does not exist is an error on this machine, whatever the kernel supports")
  func absent() throws {
    let error = try #require(throws: TransportError.self) { try ControllerAddress.hci(65_000).open() }
    #expect(error.place == "hci:65000")
    #expect(error.advice != nil)
  }
}
