import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink

extension HostEvent {
  /// The characteristic that the event concerns.
  package var characteristic: CharacteristicIndex? {
    switch self {
    case .server(_, .subscriptionChanged(let index, _)), .server(_, .read(let index, _)),
      .server(_, .written(let index, _)), .notified(_, let index, _), .notificationDropped(_, let index),
      .indicated(_, let index, _):
      index
    case .injected(_, _, _, let index): index
    default: nil
    }
  }

  /// The octets of the characteristic that were read, written or sent.
  package var octets: [UInt8]? {
    switch self {
    case .server(_, .read(_, let octets)), .server(_, .written(_, let octets)), .notified(_, _, let octets),
      .indicated(_, _, let octets):
      octets
    default: nil
    }
  }

  /// Whether this is the error that ends every discovery: there is no further attribute (Core 5.4 Vol 3 Part G 4.4 to 4.7).
  package var isEndOfDiscovery: Bool {
    guard case .server(_, .refused(let opcode, _, .attributeNotFound)) = self else { return false }
    return [.findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest]
      .contains(opcode)
  }
}
