import BLEATT
import BLECore
import BLEGATT

/// The Attribute Protocol (Core 5.4 Vol 3 Part F): every layout, a server with a hostile client, a client
/// with a hostile server, and all of it through a host.
package enum ATTTarget: FuzzTarget {
  package static let name = "att"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(4) {
    case 0:
      var bench = try ServerBench()
      try bench.play(&input)
    case 1:
      var bench = ClientBench(mtu: 23 + Int(input.octet()) * 2)
      try bench.play(&input)
    case 2:
      var bench = try HostBench()
      try bench.connect(0)
      try bench.play(&input)
    default:
      let type = allATTPDUs[input.below(allATTPDUs.count)]
      try checkLayout(type, input.rest())
    }
  }

  /// Checks that octets which decode encode again to as many octets, and that those decode and encode to the same octets again.
  private static func checkLayout<PDU: ATTPDU>(_ type: PDU.Type, _ octets: [UInt8]) throws(Violation) {
    guard let (pdu, consumed) = try? type.decodePrefix(of: octets.span) else { return }
    let encoded = pdu.encodedPDU
    try require(encoded.count == consumed + 1, "\(type) decodes \(consumed) octets and encodes \(encoded.count - 1)")
    let again = try? type.init(decodingPDU: encoded.span)
    try require(again?.encodedPDU == encoded, "\(type) changes when it is encoded and decoded: \(encoded.hexadecimal)")
  }
}

extension ATTTarget {
  package static var seeds: [Seed] { ATTSeeds.all }
}
