import BLECore
import BLEHCI
import BLEL2CAP
import Simulation
import Testing
import VirtualRadio

/// A device of BR/EDR without a host that is found, asked for its name and connected to.
final class ClassicResponder: ClassicDevice {
  static let name = "Responder"

  override func handle(_ event: EventPacket, _ parameters: Span<UInt8>) throws {
    guard event.code == .connectionRequest else { return try super.handle(event, parameters) }
    let address = try HCIConnectionRequest(decoding: parameters).address
    reply(
      HCIAcceptConnectionRequest {
        $0.address = address
        $0.role = .peripheral
      })
  }

  /// Answers pages, and inquiries with these access codes.
  func scan(_ accessCodes: [InquiryAccessCode] = [.general]) throws {
    let name = Array(Self.name.utf8)
    try command(HCIWriteLocalName { $0.localName = name + [UInt8](repeating: 0, count: 248 - name.count) })
    try command(HCIWriteCurrentIACLAP { $0.accessCodes = accessCodes })
    try command(HCIWriteScanEnable { $0.scans = [.inquiry, .page] })
  }
}
