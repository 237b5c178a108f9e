import AccessoryProfile
import BLECore
import BLELink
import BLESMP
import PeripheralHost

/// The kinds of data that a central can be given out of band.
public enum OutOfBandKind: String, Hashable, Sendable, CaseIterable {
  /// Confirm and random values, for LE Secure Connections (Core 5.4 Vol 3 Part H 2.3.5.6.4).
  case secureConnections = "secure-connections"
  /// A Temporary Key for legacy pairing, which both sides must have (2.3.5.4).
  case legacy
}

/// The accessory's out-of-band data. A test passes it to the central, as NFC or a printed code would.
extension Accessory {
  /// The data for the next pairings: confirm and random values, and the Temporary Key.
  public var outOfBandData: OutOfBandData {
    var data = security.pairing.ownOutOfBand?.data ?? OutOfBandData()
    data.temporaryKey = security.pairing.outOfBand?.temporaryKey
    return data
  }

  /// Creates new data of that kind for pairings that begin from now on, replacing the earlier data. Returns all current data.
  @discardableResult
  public func renewOutOfBandData(_ kind: OutOfBandKind) throws(ControlError) -> OutOfBandData {
    guard security.pairing.isPairable else { throw .refused(.notPairable) }
    var definition = security
    switch kind {
    case .secureConnections:
      definition.pairing.ownOutOfBand = OutOfBandOffer(
        random: &random, usesDebugKeys: definition.pairing.usesDebugKeys)
    case .legacy:
      var data = definition.pairing.outOfBand ?? OutOfBandData()
      data.temporaryKey = random.octets(16)
      definition.pairing.outOfBand = data
    }
    try setSecurity(definition)
    return outOfBandData
  }

  /// Forgets the created data and the profile's Temporary Key. Data of a central from the profile stays.
  public func forgetOutOfBandData() throws(ControlError) {
    var definition = security
    definition.pairing.ownOutOfBand = nil
    security.pairing.ownOutOfBand = nil
    definition.pairing.outOfBand?.temporaryKey = nil
    if definition.pairing.outOfBand == OutOfBandData() { definition.pairing.outOfBand = nil }
    try setSecurity(definition)
  }

  /// Returns the current data for JSON: keys in hexadecimal digits, least significant octet first.
  package func outOfBandReport() -> ProfileValue {
    let data = outOfBandData
    return .object([
      "confirm": Self.json(data.confirm), "random": Self.json(data.random),
      "temporary_key": Self.json(data.temporaryKey),
    ])
  }

  package func makeOutOfBandData(_ kind: OutOfBandKind) throws(ControlError) -> ProfileValue {
    try renewOutOfBandData(kind)
    return outOfBandReport()
  }

  private static func json(_ octets: [UInt8]?) -> ProfileValue { octets.map { .string($0.hexadecimal) } ?? .null }
}
