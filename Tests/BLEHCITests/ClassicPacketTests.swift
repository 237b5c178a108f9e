import BLECore
import BLEHCI
import Testing

/// The packets of BR/EDR and of what is common to it and LE, compared with another implementation's.
@Suite("HCI packets of BR/EDR")
struct ClassicPacketTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let kind: String
    let name: String
    let octets: [UInt8]
    let fields: [(name: String, length: Int)]

    var testDescription: String { "\(kind) \(name)" }

    init(_ line: Substring) {
      let parts = line.split(separator: " ").map(String.init)
      (kind, name) = (parts[0], parts[1])
      var octets: [UInt8] = []
      for part in parts[2].split(separator: "{") {
        let halves = part.split(separator: "}", omittingEmptySubsequences: false)
        if halves.count == 2 { octets += Array(repeating: 0, count: Int(halves[0]) ?? 0) }
        octets += [UInt8](hexadecimal: halves[halves.count - 1]) ?? []
      }
      self.octets = octets
      fields = parts.dropFirst(3).map { field in
        let halves = field.split(separator: ":")
        return (String(halves[0]), Int(halves[1]) ?? 0)
      }
    }
  }

  static let vectors = BumblePackets.lines.split(separator: "\n").map(Vector.init)

  /// The names of fields that Bumble calls otherwise.
  private static let aliases = [
    "connection_handles": "connection_handle", "delete_all_flag": "delete_all",
    "hc_acl_data_packet_length":
      "acl_data_packet_length", "hc_synchronous_data_packet_length": "synchronous_data_packet_length",
    "hc_total_num_acl_data_packets": "total_num_acl_data_packets",
    "hc_total_num_synchronous_data_packets": "total_num_synchronous_data_packets",
    "manufacturer_name": "company_identifier", "maximum_latency": "max_latency",
    "maximum_page_number": "max_page_number", "minimum_local_timeout": "min_local_timeout",
    "minimum_remote_timeout": "min_remote_timeout", "scan_type": "inquiry_scan_type", "simultaneous_le_host": "unused",
    "num_support_iac": "num_supported_iac", "read_all_flag": "read_all",
  ]

  private func layout(of vector: Vector) throws -> (type: any OctetLayout.Type, start: Int) {
    let octets = vector.octets
    switch vector.kind {
    case "event":
      let code = EventCode(rawValue: octets[1])
      #expect(code.name?.lowercased() == vector.name.lowercased())
      return (try #require(EventRegistry.type(for: code)), 3)
    case "command":
      let opcode = CommandOpcode(rawValue: UInt16(octets[1]) | UInt16(octets[2]) << 8)
      #expect(opcode.name?.lowercased() == vector.name.lowercased())
      return (try #require(CommandRegistry.type(for: opcode)), 4)
    default:
      let command = try #require(
        CommandRegistry.all.first { $0.opcode.name?.lowercased() == vector.name.lowercased() }
          as? any HCISyncCommand.Type)
      return (returnType(command), 0)
    }
  }

  private func returnType<Command: HCISyncCommand>(_: Command.Type) -> any OctetLayout.Type {
    Command.ReturnParameters.self
  }

  private func recoded<Layout: OctetLayout>(_: Layout.Type, _ octets: [UInt8]) throws -> [UInt8] {
    try Layout(decoding: octets).encoded
  }

  @Test("Another implementation's packets have the same name and fields", arguments: vectors)
  func same(_ vector: Vector) throws {
    let (type, start) = try layout(of: vector)
    let octets = Array(vector.octets.dropFirst(start))
    #expect(try recoded(type, octets) == octets)
    let (described, fault) = type.describe(octets)
    #expect(fault == nil)
    var fields: [DescribedField] = []
    for field in described {
      if let entry = field.children.first { fields += entry.children } else { fields.append(field) }
    }
    // A count is followed by a list of entries with the fields.
    let expected = vector.fields
    #expect(fields.map(\.range.count) == expected.map(\.length))
    for (field, other) in zip(fields, expected) where other.name != "*" {
      #expect(field.name.lowercased() == Self.aliases[other.name] ?? other.name)
    }
  }

  @Test("The packets of the list are most of those with a layout")
  func coverage() {
    #expect(Self.vectors.count > 180)
    #expect(Self.vectors.allSatisfy { !$0.octets.isEmpty })
  }
}
