import AccessoryProfile
import BLECore
import BLEGATT

extension AttributePermissions {
  /// What it takes to read and to write where that is more than what is `declared` lets everybody expect, such as
  /// `to read: encrypted; to write: forbidden`; nil for nothing.
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
  /// What everybody may do with such an attribute unless somebody has said otherwise.
  var usualPermissions: AttributePermissions {
    switch role {
    case .clientConfiguration, .serverConfiguration: .readableAndWritable
    default: AttributePermissions(read: .open, write: nil)
    }
  }
}
