import AccessoryProfile
import BLECore
import BLEGATT

/// Returns a profile with characteristics `a` and `b` of one octet, `a` notified on change, and these further lines.
func ruled(_ lines: String) throws -> ProfileRuntime {
  ProfileRuntime(
    profile: try profile(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { id: a, uuid: FFF1, properties: [read, write, notify], format: u8, value: 0 }
            - { id: b, uuid: FFF2, properties: [read, write, notify], format: u8, value: 0 }
      \(lines)
      """))
}

extension ProfileRuntime {
  /// Returns the current value of `id`.
  func number(_ id: String, at now: Instant = .zero) -> Double? {
    index(of: id).flatMap { typedValue(of: $0, at: now).number }
  }

  mutating func write(_ octets: [UInt8], to id: String, client: ClientID = 1, at now: Instant = .zero) {
    if let index = index(of: id) { _ = write(octets, to: index, for: client, at: now) }
  }
}
