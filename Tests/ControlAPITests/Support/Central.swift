import BLECore

/// A central on the virtual radio, using HCI over H4: just enough to connect and subscribe.
final class Central: Sendable {
  let handle: UInt16
  private let socket: BlockingSocket

  /// Connects to the accessory with that random address; `number` varies the central's own address.
  static func connect(port: UInt16, to address: DeviceAddress, number: UInt8 = 1) async throws -> Central {
    try await onThread { try Central(port: port, to: address, number: number) }
  }

  private init(port: UInt16, to address: DeviceAddress, number: UInt8) throws {
    let socket = try BlockingSocket(port: port)
    self.socket = socket
    // Reset; Set Event Mask: all; LE Set Random Address.
    try socket.send([0x01, 0x03, 0x0C, 0x00])
    try socket.send([0x01, 0x01, 0x0C, 0x08] + [UInt8](repeating: 0xFF, count: 7) + [0x3F])
    try socket.send([0x01, 0x05, 0x20, 0x06, number, 0x00, 0x00, 0x00, 0x00, 0xF0])
    // LE Create Connection: interval 30 ms, latency 0, supervision timeout 5 s.
    let peer = address.description.split(separator: ":").reversed().compactMap { UInt8($0, radix: 16) }
    try socket.send(
      [0x01, 0x0D, 0x20, 0x19, 0x10, 0x00, 0x10, 0x00, 0x00, 0x01] + peer
        + [0x01, 0x18, 0x00, 0x18, 0x00, 0x00, 0x00, 0xF4, 0x01, 0x00, 0x00, 0x00, 0x00])
    let complete = try Self.packet(from: socket) { $0.starts(with: [0x04, 0x3E]) && $0.dropFirst(3).first == 0x01 }
    guard complete[4] == 0 else { throw SocketFailure(what: "not connected: \(complete[4])") }
    handle = UInt16(complete[5]) | UInt16(complete[6]) << 8
  }

  /// Writes a Client Characteristic Configuration and waits for the response.
  func subscribe(_ attribute: UInt16, _ bits: UInt8) async throws {
    try await onThread { [self] in
      let request: [UInt8] = [0x12, UInt8(attribute & 0xFF), UInt8(attribute >> 8), bits, 0x00]
      try socket.send(
        [0x02, UInt8(handle & 0xFF), UInt8(handle >> 8), 9, 0, 5, 0, 0x04, 0x00] + request)
      _ = try Self.packet(from: socket) { Self.payload($0, channel: 0x04)?.first == 0x13 }
    }
  }

  /// Sends an ATT PDU.
  func send(_ pdu: [UInt8]) async throws { try await send(channel: 0x04, pdu) }

  /// Sends a B-frame that fits into one ACL packet.
  func send(channel: UInt8, _ octets: [UInt8]) async throws {
    try await onThread { [self] in
      let count = UInt8(octets.count)
      try socket.send(
        [0x02, UInt8(handle & 0xFF), UInt8(handle >> 8), count + 4, 0, count, 0, channel, 0x00] + octets)
    }
  }

  /// Returns the next PDU on a channel that begins with that octet.
  func payload(channel: UInt8, beginning code: UInt8) async throws -> [UInt8] {
    try await onThread { [self] in
      let packet = try Self.packet(from: socket) { Self.payload($0, channel: channel)?.first == code }
      return Self.payload(packet, channel: channel) ?? []
    }
  }

  /// Returns the reason of the next Disconnection Complete.
  func disconnection() async throws -> UInt8 {
    try await onThread { [self] in try Self.packet(from: socket) { $0.starts(with: [0x04, 0x05]) }[6] }
  }

  func close() { socket.shutDown() }

  private static func payload(_ packet: [UInt8], channel: UInt8) -> [UInt8]? {
    guard packet.count > 9, packet[0] == 0x02, packet[7] == channel else { return nil }
    return Array(packet[9...])
  }

  /// Returns the next matching packet, and skips others.
  private static func packet(
    from socket: BlockingSocket, where fits: ([UInt8]) -> Bool
  ) throws -> [UInt8] {
    while true {
      let type = try socket.receive(exactly: 1)
      let head = try socket.receive(exactly: type == [0x04] ? 2 : 4)
      let count = type == [0x04] ? Int(head[1]) : Int(head[2]) | Int(head[3]) << 8
      let packet = type + head + (try socket.receive(exactly: count))
      if fits(packet) { return packet }
    }
  }
}
