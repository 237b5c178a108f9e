import AccessoryProfile
import BLECore
import BLEGATT

extension AttributePermissions {
  /// Returns the requirements for reading and writing that go beyond what `declared` suggests, such as `to
  /// read: encrypted; to write: forbidden`; nil if there are none.
  func requirementText(declared: AttributePermissions) -> String? {
    let parts = [("read", read, declared.read), ("write", write, declared.write)].compactMap { name, needed, declared in
      Self.text(of: needed, isDeclared: declared != nil).map { "to \(name): \($0)" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private static func text(of requirement: AccessRequirement?, isDeclared: Bool) -> String? {
    guard let requirement else { return isDeclared ? "forbidden" : nil }
    let protection = requirement.protection == .none ? [] : [requirement.protection.word]
    let keySize = requirement.minimumKeySize > 0 ? ["a key of \(requirement.minimumKeySize) octets"] : []
    let words = protection + keySize + (requirement.needsAuthorization ? ["authorization"] : [])
    return words.isEmpty ? nil : words.joined(separator: " and ")
  }
}

extension Attribute {
  /// The permissions that such an attribute has unless the profile sets others.
  var usualPermissions: AttributePermissions {
    switch role {
    case .clientConfiguration, .serverConfiguration: .readableAndWritable
    default: AttributePermissions(read: .open, write: nil)
    }
  }
}
