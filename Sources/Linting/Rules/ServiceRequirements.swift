import BLEGATT

/// The mandatory characteristics of the SIG's services, with their mandatory properties (the services' specifications, section 3).
enum ServiceRequirements {
  /// A mandatory characteristic.
  struct Characteristic: Sendable {
    let uuid: UInt16
    let properties: CharacteristicProperties

    init(_ uuid: UInt16, _ properties: CharacteristicProperties) {
      self.uuid = uuid
      self.properties = properties
    }
  }

  static let table: [(service: UInt16, characteristics: [Characteristic])] = [
    (0x1802, [.init(0x2A06, .writeWithoutResponse)]), (0x1803, [.init(0x2A06, [.read, .write])]),
    (0x1804, [.init(0x2A07, .read)]), (0x1805, [.init(0x2A2B, [.read, .notify])]),
    (0x1806, [.init(0x2A16, .writeWithoutResponse), .init(0x2A17, .read)]), (0x1807, [.init(0x2A11, .read)]),
    (0x1808, [.init(0x2A18, .notify), .init(0x2A51, .read), .init(0x2A52, [.write, .indicate])]),
    (0x1809, [.init(0x2A1C, .indicate)]), (0x180D, [.init(0x2A37, .notify)]), (0x180F, [.init(0x2A19, .read)]),
    (0x1810, [.init(0x2A35, .indicate), .init(0x2A49, .read)]),
    (
      0x1811,
      [
        .init(0x2A47, .read), .init(0x2A46, .notify), .init(0x2A48, .read), .init(0x2A45, .notify),
        .init(0x2A44, .write),
      ]
    ),
    (0x1812, [.init(0x2A4A, .read), .init(0x2A4B, .read), .init(0x2A4C, .writeWithoutResponse)]),
    (0x1813, [.init(0x2A4F, .writeWithoutResponse)]), (0x1814, [.init(0x2A53, .notify), .init(0x2A54, .read)]),
    (0x1816, [.init(0x2A5B, .notify), .init(0x2A5C, .read)]),
    (0x1818, [.init(0x2A63, .notify), .init(0x2A65, .read), .init(0x2A5D, .read)]),
    (0x181B, [.init(0x2A9B, .read), .init(0x2A9C, .indicate)]),
    (0x181C, [.init(0x2A99, [.read, .write]), .init(0x2A9A, .read), .init(0x2A9F, [.write, .indicate])]),
    (0x181D, [.init(0x2A9E, .read), .init(0x2A9D, .indicate)]),
    (
      0x181F,
      [
        .init(0x2AA7, .notify), .init(0x2AA8, .read), .init(0x2AA9, .read), .init(0x2AAA, [.read, .write]),
        .init(0x2AAB, .read), .init(0x2AAC, [.write, .indicate]),
      ]
    ), (0x1822, [.init(0x2A60, .read)]),
    (
      0x1825,
      [
        .init(0x2ABD, .read), .init(0x2ABF, .read), .init(0x2AC0, .read), .init(0x2AC4, .read),
        .init(0x2AC5, [.write, .indicate]),
      ]
    ), (0x1826, [.init(0x2ACC, .read)]),
  ]
}
