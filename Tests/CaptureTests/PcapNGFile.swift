import Testing

/// The contents of a pcapng file, read independently of the writer: only little-endian sections.
struct PcapNGFile {
  struct Option: Equatable {
    var code: UInt16
    var value: [UInt8]
  }

  struct Interface: Equatable {
    var linkType: UInt16
    var options: [Option]
  }

  struct Packet: Equatable {
    var interface: UInt32
    var nanoseconds: UInt64
    var octets: [UInt8]
    var options: [Option]
  }

  var sectionOptions: [Option] = []
  var interfaces: [Interface] = []
  var packets: [Packet] = []

  /// Reads whole blocks up to the end; anything else is an issue of the test.
  init(_ octets: [UInt8]) throws {
    var offset = 0
    while offset < octets.count {
      try #require(octets.count - offset >= 12)
      let total = Int(Self.integer(octets[offset + 4..<offset + 8]))
      try #require(total % 4 == 0 && total >= 12 && offset + total <= octets.count)
      try #require(Int(Self.integer(octets[offset + total - 4..<offset + total])) == total)
      let type = Self.integer(octets[offset..<offset + 4])
      try take(type, Array(octets[offset + 8..<offset + total - 4]), isFirst: offset == 0)
      offset += total
    }
  }

  private mutating func take(_ type: UInt64, _ body: [UInt8], isFirst: Bool) throws {
    try #require((type == 0x0A0D_0D0A) == isFirst)
    switch type {
    case 0x0A0D_0D0A:
      let beginning: [UInt8] = [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0] + Array(repeating: 0xFF, count: 8)
      #expect(Array(body.prefix(16)) == beginning)
      sectionOptions = try Self.options(body.dropFirst(16))
    case 1:
      let snapLength = Self.integer(body[4..<8])
      #expect(snapLength == 0)
      interfaces.append(
        Interface(linkType: UInt16(Self.integer(body[0..<2])), options: try Self.options(body.dropFirst(8))))
    case 6:
      let length = Int(Self.integer(body[12..<16]))
      #expect(Self.integer(body[16..<20]) == UInt64(length))
      let padded = (length + 3) / 4 * 4
      #expect(body[20 + length..<20 + padded].allSatisfy { $0 == 0 })
      packets.append(
        Packet(
          interface: UInt32(Self.integer(body[0..<4])),
          nanoseconds: Self.integer(body[4..<8]) << 32 | Self.integer(body[8..<12]),
          octets: Array(body[20..<20 + length]), options: try Self.options(body.dropFirst(20 + padded))))
    default: Issue.record("a block of type \(type)")
    }
  }

  private static func options(_ octets: ArraySlice<UInt8>) throws -> [Option] {
    var options: [Option] = []
    var rest = octets
    while !rest.isEmpty {
      try #require(rest.count >= 4)
      let code = UInt16(integer(rest.prefix(2)))
      let length = Int(integer(rest.dropFirst(2).prefix(2)))
      rest = rest.dropFirst(4)
      guard code != 0 else {
        #expect(length == 0 && rest.isEmpty)
        return options
      }
      try #require(rest.count >= (length + 3) / 4 * 4)
      options.append(Option(code: code, value: Array(rest.prefix(length))))
      rest = rest.dropFirst((length + 3) / 4 * 4)
    }
    #expect(options.isEmpty, "options end with an end")
    return options
  }

  private static func integer(_ octets: some BidirectionalCollection<UInt8>) -> UInt64 {
    octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
