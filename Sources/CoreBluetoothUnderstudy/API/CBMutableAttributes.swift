// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLEGATT
import Foundation

/// A central's permissions for a value that an app serves.
public struct CBAttributePermissions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let readable = CBAttributePermissions(rawValue: 0x01)
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}

/// A service that an app describes for the peripheral role.
open class CBMutableService: CBService, @unchecked Sendable {
  /// Creates a service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    super.init(RemoteService(handles: 0...0, uuid: UUID.uuid, isPrimary: isPrimary), of: nil)
  }

  open override var includedServices: [CBService]? {
    get { foundIncludes }
    set { foundIncludes = newValue }
  }

  open override var characteristics: [CBCharacteristic]? {
    get { found }
    set {
      found = newValue
      for characteristic in newValue ?? [] { characteristic.owner = self }
    }
  }
}

/// A characteristic that an app describes for the peripheral role.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  @Locked private var currentProperties: CBCharacteristicProperties
  @Locked private var currentPermissions: CBAttributePermissions

  /// Creates a characteristic. A given value never changes; without one, the app answers each request.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    currentProperties = properties
    currentPermissions = permissions
    super.init(RemoteCharacteristic(declaration: 0, value: 0, end: 0, uuid: UUID.uuid, properties: []), of: nil)
    currentValue = value
  }

  /// A central's permissions for the value.
  open var permissions: CBAttributePermissions {
    get { currentPermissions }
    set { currentPermissions = newValue }
  }

  /// The centrals that have subscribed: none.
  open var subscribedCentrals: [CBCentral]? { nil }

  open override var properties: CBCharacteristicProperties {
    get { currentProperties }
    set { currentProperties = newValue }
  }

  open override var value: Data? {
    get { currentValue }
    set { currentValue = newValue }
  }

  open override var descriptors: [CBDescriptor]? {
    get { found }
    set {
      found = newValue
      for descriptor in newValue ?? [] { descriptor.owner = self }
    }
  }
}

/// A descriptor that an app describes for the peripheral role: a user description or a format.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  private let described: Any?

  /// Creates a descriptor with a value of its kind: a string or data.
  public init(type UUID: CBUUID, value: Any?) {
    described = value
    super.init(RemoteDescriptor(handle: 0, uuid: UUID.uuid), of: nil)
  }

  open override var value: Any? { described }
}
