import BLECore
import BLEGATT

/// The properties of a characteristic in BTstack, which include its permissions.
struct BTstackProperties {
  private(set) var properties: CharacteristicProperties = []
  private(set) var extended: ExtendedProperties = []
  private(set) var isDynamic = false
  private var read: Need?
  private var write: Need?
  private var both: Need?
  private var keySize = 0

  private struct Need {
    var protection = LinkProtection.none
    var isAuthorized = false
  }

  static let words: [(word: String, property: CharacteristicProperties)] = [
    ("BROADCAST", .broadcast), ("READ", .read), ("WRITE_WITHOUT_RESPONSE", .writeWithoutResponse), ("WRITE", .write),
    ("NOTIFY", .notify), ("INDICATE", .indicate), ("AUTHENTICATED_SIGNED_WRITE", .authenticatedSignedWrites),
    ("EXTENDED_PROPERTIES", .extendedProperties),
  ]

  private static let needs: [String: Need] = [
    "ANYBODY": Need(), "ENCRYPTED": Need(protection: .encrypted), "AUTHENTICATED": Need(protection: .authenticated),
    "AUTHENTICATED_SC": Need(protection: .secureConnections),
    "AUTHORIZED": Need(protection: .authenticated, isAuthorized: true),
  ]

  /// Adds a word. Returns false if it is unknown.
  mutating func add(_ text: String) -> Bool {
    let word = text.trimmingWhitespace
    if let property = Self.words.first(where: { $0.word == word })?.property {
      properties.insert(property)
    } else if word == "DYNAMIC" {
      isDynamic = true
    } else if word == "RELIABLE_WRITE" {
      extended.insert(.reliableWrite)
    } else if word == "AUTHENTICATION_REQUIRED" {
      both = Need(protection: .authenticated)
    } else if word == "AUTHORIZATION_REQUIRED" {
      both = Need(protection: .authenticated, isAuthorized: true)
    } else if word.hasPrefix("READ_"), let need = Self.needs[String(word.dropFirst(5))] {
      read = need
    } else if word.hasPrefix("WRITE_"), let need = Self.needs[String(word.dropFirst(6))] {
      write = need
    } else if word.hasPrefix("ENCRYPTION_KEY_SIZE_"), let size = Int(word.dropFirst(20)), (7...16).contains(size) {
      keySize = size
    } else {
      return word.isEmpty || word == "LONG_UUID"
    }
    return true
  }

  private func requirement(_ own: Need?) -> AccessRequirement {
    // A key size alone means encryption, unless reading or writing has a requirement of its own.
    var need = own ?? (read == nil && write == nil ? both : nil) ?? Need()
    if keySize > 0, read == nil, write == nil, both == nil { need.protection = .encrypted }
    return AccessRequirement(
      protection: need.protection, minimumKeySize: need.protection == .none ? 0 : keySize,
      needsAuthorization: need.isAuthorized)
  }

  /// The permissions for the value.
  var permissions: AttributePermissions {
    AttributePermissions(
      read: properties.contains(.read) ? requirement(read) : nil,
      write: properties.isDisjoint(with: [.write, .writeWithoutResponse]) ? nil : requirement(write),
      signedWrite: requirement(write))
  }

  /// The requirement for subscribing, which is that for writing, without authorization.
  var subscribing: AccessRequirement {
    var need = requirement(write)
    need.needsAuthorization = false
    return need
  }
}
