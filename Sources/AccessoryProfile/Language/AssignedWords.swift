import BLEATT

/// The names of ATT error codes in profiles.
enum ErrorNames {
  static let all: [(name: String, code: ATTErrorCode)] = [
    ("invalid-handle", .invalidHandle), ("read-not-permitted", .readNotPermitted),
    ("write-not-permitted", .writeNotPermitted), ("invalid-pdu", .invalidPDU),
    ("insufficient-authentication", .insufficientAuthentication), ("request-not-supported", .requestNotSupported),
    ("invalid-offset", .invalidOffset), ("insufficient-authorization", .insufficientAuthorization),
    ("prepare-queue-full", .prepareQueueFull), ("attribute-not-found", .attributeNotFound),
    ("attribute-not-long", .attributeNotLong), ("encryption-key-size-too-short", .encryptionKeySizeTooShort),
    ("invalid-attribute-value-length", .invalidAttributeValueLength), ("unlikely-error", .unlikelyError),
    ("insufficient-encryption", .insufficientEncryption), ("unsupported-group-type", .unsupportedGroupType),
    ("insufficient-resources", .insufficientResources), ("database-out-of-sync", .databaseOutOfSync),
    ("value-not-allowed", .valueNotAllowed), ("write-request-rejected", .writeRequestRejected),
    ("cccd-improperly-configured", .cccdImproperlyConfigured),
    ("procedure-already-in-progress", .procedureAlreadyInProgress), ("out-of-range", .outOfRange),
  ]
}

extension ATTErrorCode {
  /// Creates the error from its text in a profile: a number such as `0x80`, or a name such as `value-not-allowed`. Returns nil if there is
  /// no such error.
  public init?(profileText text: String) {
    if let number = Numbers.integer(text) {
      guard let code = UInt8(exactly: number), code != 0 else { return nil }
      self.init(rawValue: code)
    } else if let known = ErrorNames.all.first(where: { $0.name == text }) {
      self = known.code
    } else {
      return nil
    }
  }
}

/// The numbers for the Characteristic Presentation Format (Core 5.4 Vol 3 Part G 3.3.3.5, Bluetooth Assigned Numbers 2.4, 3.5).
package enum PresentationFormat {
  package static let formats: [(name: String, number: UInt8)] = [
    ("bool", 0x01), ("u2", 0x02), ("u4", 0x03), ("u8", 0x04), ("u12", 0x05), ("u16", 0x06), ("u24", 0x07),
    ("u32", 0x08),
    ("u48", 0x09), ("u64", 0x0A), ("u128", 0x0B), ("i8", 0x0C), ("i12", 0x0D), ("i16", 0x0E), ("i24", 0x0F),
    ("i32", 0x10), ("i48", 0x11), ("i64", 0x12), ("i128", 0x13), ("float32", 0x14), ("float64", 0x15),
    ("sfloat", 0x16), ("float", 0x17), ("duint16", 0x18), ("utf8", 0x19), ("utf16", 0x1A), ("struct", 0x1B),
  ]

  package static let units: [(name: String, number: UInt16)] = [
    ("unitless", 0x2700), ("metre", 0x2701), ("kilogram", 0x2702), ("second", 0x2703), ("ampere", 0x2704),
    ("kelvin", 0x2705), ("hertz", 0x2722), ("pascal", 0x2724), ("joule", 0x2725), ("watt", 0x2726), ("volt", 0x2728),
    ("celsius", 0x272F), ("lux", 0x2731), ("percentage", 0x27AD), ("parts-per-million", 0x27C4),
    ("beats-per-minute", 0x27AF), ("minute", 0x2760), ("hour", 0x2761), ("day", 0x2762), ("degree", 0x2763),
  ]
}
