import BLECore
import BLEHCI
import Capture

/// Capture files, all the way from their octets through the parser and the decoder to everything that is
/// shown of them; and packets of any kind, written in any format and read again.
package enum CaptureTarget: FuzzTarget {
  package static let name = "capture"
  package static let maximumLength = 32_768

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    if input.flag() {
      let format = CaptureFormat.allCases[input.below(CaptureFormat.allCases.count)]
      var records: [CaptureRecord] = []
      while !input.isAtEnd { records.append(record(&input)) }
      try CaptureViews.view(CaptureSeeds.file(format, records))
    } else {
      try CaptureViews.view(input.rest())
    }
  }

  /// Returns a packet with a time, which may be any time.
  private static func record(_ input: inout FuzzInput) -> CaptureRecord {
    let kind = input.octet()
    let word = Int64(input.word())
    let octets = input.run()
    let content: CaptureRecord.Content
    switch kind % 4 {
    case 0: content = .hci(.hostToController)
    case 1: content = .hci(.controllerToHost)
    case 2:
      let kinds = CapturedAirPacket.Kind.allCases
      content = .air(AirReception(accessAddress: 0x5065_5DAB, kind: kinds[Int(kind >> 2) % kinds.count]))
    default: content = .message(.note)
    }
    // Times from the very first to the very last, and some that are close together.
    let nanoseconds = kind & 0x80 == 0 ? word * 1_000_000 : (word << 48)
    return CaptureRecord(content, nanoseconds: nanoseconds, source: UInt32(kind >> 6), octets: octets)
  }

  package static var seeds: [Seed] { CaptureSeeds.all }
}
