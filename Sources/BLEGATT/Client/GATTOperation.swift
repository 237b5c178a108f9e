import BLEATT
import BLECore

/// The identity of a client's operation, counted from 1. It is never reused.
public struct OperationID: Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Returns whether the left operation was requested first.
  public static func < (left: OperationID, right: OperationID) -> Bool { left.rawValue < right.rawValue }
}

/// An operation of a client (Core 5.4 Vol 3 Part G 4). Attributes are identified by their handles.
public enum GATTOperation: Hashable, Sendable {
  /// Exchanges the MTU, once per bearer (4.3.1). Ends with `mtu`.
  case exchangeMTU
  /// Discovers everything: services, their includes, characteristics and descriptors. Ends with `services`, which contain the rest.
  case discoverAll
  /// Discovers everything as BlueZ does, one kind of attribute after the other over all services: primary services, secondary ones, includes,
  /// characteristics, descriptors. Ends with `services`, which contain the rest.
  case discoverByKind
  /// Discovers all primary services (4.4.1). Ends with `services`.
  case discoverPrimaryServices
  /// Discovers the primary services with this UUID (4.4.2). Ends with `services`.
  case discoverPrimaryServicesByUUID(BluetoothUUID)
  /// Finds the included services of the service with these handles (4.5.1). Ends with `includes`.
  case findIncludedServices(ClosedRange<UInt16>)
  /// Discovers the characteristics in this range, all or those with a UUID (4.6.1, 4.6.2). Ends with `characteristics`.
  case discoverCharacteristics(ClosedRange<UInt16>, uuid: BluetoothUUID? = nil)
  /// Discovers the descriptors in this range, which follows a characteristic's value (4.7.1). Ends with `descriptors`.
  case discoverDescriptors(ClosedRange<UInt16>)
  /// Reads a value of any length (4.8.1, 4.8.3). Ends with `value`.
  case read(UInt16)
  /// Reads a value from an offset on (4.8.3). Ends with `value`.
  case readFrom(UInt16, offset: UInt16)
  /// Reads the values of this type in this range, each as far as it fits in one response (4.8.2). Ends with `values`.
  case readByType(BluetoothUUID, ClosedRange<UInt16>)
  /// Reads several values of known lengths at once (4.8.4). Ends with `value`, the concatenation of all.
  case readMultiple([UInt16])
  /// Reads several values of any lengths at once (4.8.5). Ends with `values`.
  case readMultipleVariable([UInt16])
  /// Sends a value without a response (4.9.1), at once, even if other operations are in progress. Ends with `done`.
  case writeWithoutResponse(UInt16, [UInt8])
  /// Sends a value without a response and with a signature on an unencrypted link (4.9.2). On an encrypted one it is not signed (Core 5.4
  /// Vol 3 Part C 10.4.1). Ends with `done`.
  case writeSigned(UInt16, [UInt8])
  /// Writes a value, in parts if it does not fit in one request (4.9.3, 4.9.4). Ends with `done`.
  case write(UInt16, [UInt8])
  /// Writes all of several values or none, and compares each echoed part (4.9.5). Ends with `done`.
  case writeReliably([RemoteValue])
  /// Configures notifications and indications of the characteristic with this value handle; empty for neither (3.3.3.3). The descriptor
  /// must have been discovered. Ends with `done`.
  case configure(UInt16, ClientConfiguration)
}

/// A value with its attribute.
public struct RemoteValue: Hashable, Sendable {
  /// The attribute.
  public var handle: UInt16
  /// The value.
  public var value: [UInt8]
  /// Whether the value is known to be complete. The last value of a response may be truncated.
  public var isWhole: Bool

  /// Creates a value.
  public init(_ handle: UInt16, _ value: [UInt8], isWhole: Bool = true) {
    self.handle = handle
    self.value = value
    self.isWhole = isWhole
  }
}

/// The result of an operation.
public enum GATTResult: Hashable, Sendable {
  /// The current MTU, in octets.
  case mtu(Int)
  /// Services by ascending handle.
  case services([RemoteService])
  /// Includes by ascending handle.
  case includes([RemoteInclude])
  /// Characteristics by ascending handle.
  case characteristics([RemoteCharacteristic])
  /// Descriptors by ascending handle.
  case descriptors([RemoteDescriptor])
  /// A value.
  case value([UInt8])
  /// Values with their attributes.
  case values([RemoteValue])
  /// Success without a value.
  case done
}

/// The reason why an operation has failed.
public enum GATTFailure: Error, Hashable, Sendable {
  /// The server answered with an Error Response.
  case refused(ATTErrorCode, request: ATTOpcode, handle: UInt16)
  /// The server's response violates the protocol.
  case violation(GATTViolation)
  /// The server did not answer in time. Nothing more is sent on this bearer (Core 5.4 Vol 3 Part F 3.3.3).
  case timedOut
  /// The bearer ended before the operation did.
  case closed
  /// An echoed part of a reliable write was different; nothing was written (Core 5.4 Vol 3 Part G 4.9.5).
  case mismatch(handle: UInt16)
  /// The characteristic has no known Client Characteristic Configuration.
  case noConfiguration(handle: UInt16)
  /// The value cannot be signed because there is no bond with a signing key.
  case noSigningKey
  /// The value is too long: more than 512 octets, or more than fits in a Write Command.
  case tooLong(octets: Int, limit: Int)
  /// The operation has too few attributes for its request.
  case tooFewAttributes
}

/// A protocol violation by a server.
public enum GATTViolation: Error, Hashable, Sendable {
  /// A PDU that does not match its layout, the MTU or the valid lengths of its entries.
  case malformed(ATTOpcode)
  /// Handles that are outside the requested range or not ascending.
  case handleOutOfOrder(ATTOpcode, handle: UInt16)
  /// A value of more than 512 octets (Core 5.4 Vol 3 Part F 3.2.9).
  case valueTooLong
  /// A response to no outstanding request. It is ignored.
  case unexpectedResponse(ATTOpcode)
}

/// The outcome of an operation.
public typealias GATTOutcome = Result<GATTResult, GATTFailure>

/// An event of a client.
public enum GATTClientEvent: Hashable, Sendable {
  /// An operation was queued, if the owner has enabled this event.
  case began(OperationID, GATTOperation)
  /// An operation has ended. This is reported once for each.
  case ended(OperationID, GATTOutcome)
  /// A notification (Core 5.4 Vol 3 Part G 4.10).
  case notification(handle: UInt16, value: [UInt8])
  /// An indication, which has been confirmed (Core 5.4 Vol 3 Part G 4.11).
  case indication(handle: UInt16, value: [UInt8])
  /// The server's attributes in this range have changed. Their discovered data was dropped (Core 5.4 Vol 3 Part G 7.1).
  case servicesChanged(ClosedRange<UInt16>)
  /// The server answered Database Out Of Sync. All discovered data was dropped (Core 5.4 Vol 3 Part G 2.5.2.1).
  case databaseOutOfSync
  /// An invalid PDU of the server that belongs to no operation was ignored.
  case violation(GATTViolation)
}
