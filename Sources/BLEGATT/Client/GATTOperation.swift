import BLEATT
import BLECore

/// Names one operation of a client; counted from 1, never used twice.
public struct OperationID: Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether the operation on the left was asked for first.
  public static func < (left: OperationID, right: OperationID) -> Bool { left.rawValue < right.rawValue }
}

/// What a client can be asked to do (Core 5.4 Vol 3 Part G 4). Attributes are named by their handles.
public enum GATTOperation: Hashable, Sendable {
  /// Exchanges the MTU, once per bearer (4.3.1). Ends with `mtu`.
  case exchangeMTU
  /// Finds everything: services, what they include, characteristics and descriptors. Ends with `services`, which hold the rest.
  case discoverAll
  /// Finds all primary services (4.4.1). Ends with `services`.
  case discoverPrimaryServices
  /// Finds the primary services with that UUID (4.4.2). Ends with `services`.
  case discoverPrimaryServicesByUUID(BluetoothUUID)
  /// Finds what the service of these handles includes (4.5.1). Ends with `includes`.
  case findIncludedServices(ClosedRange<UInt16>)
  /// Finds the characteristics among these handles, all or those with a UUID (4.6.1, 4.6.2). Ends with `characteristics`.
  case discoverCharacteristics(ClosedRange<UInt16>, uuid: BluetoothUUID? = nil)
  /// Finds the descriptors among these handles: those behind a characteristic's value (4.7.1). Ends with `descriptors`.
  case discoverDescriptors(ClosedRange<UInt16>)
  /// Reads a value, however long (4.8.1, 4.8.3). Ends with `value`.
  case read(UInt16)
  /// Reads a value from an offset on (4.8.3). Ends with `value`.
  case readFrom(UInt16, offset: UInt16)
  /// Reads the values of that type among these handles, as much of each as fits one response (4.8.2). Ends with `values`.
  case readByType(BluetoothUUID, ClosedRange<UInt16>)
  /// Reads several values of known lengths at once (4.8.4). Ends with `value`, all of them behind one another.
  case readMultiple([UInt16])
  /// Reads several values of any lengths at once (4.8.5). Ends with `values`.
  case readMultipleVariable([UInt16])
  /// Sends a value without an answer (4.9.1), at once, whatever else is under way. Ends with `done`.
  case writeWithoutResponse(UInt16, [UInt8])
  /// Sends a value without an answer and with a signature, over a link that is not encrypted (4.9.2); over an encrypted one it goes
  /// without (Core 5.4 Vol 3 Part C 10.4.1). Ends with `done`.
  case writeSigned(UInt16, [UInt8])
  /// Writes a value, in parts when one request cannot hold it (4.9.3, 4.9.4). Ends with `done`.
  case write(UInt16, [UInt8])
  /// Writes several values together or none of them, each part compared as it comes back (4.9.5). Ends with `done`.
  case writeReliably([RemoteValue])
  /// Sets what is wanted of the characteristic whose value has that handle; empty for nothing (3.3.3.3). Its descriptor must
  /// have been discovered. Ends with `done`.
  case configure(UInt16, ClientConfiguration)
}

/// A value and the attribute it belongs to.
public struct RemoteValue: Hashable, Sendable {
  /// The attribute.
  public var handle: UInt16
  /// Its value.
  public var value: [UInt8]
  /// Whether it is all of the value, as far as can be told: the last value of a response may be cut.
  public var isWhole: Bool

  /// A value.
  public init(_ handle: UInt16, _ value: [UInt8], isWhole: Bool = true) {
    self.handle = handle
    self.value = value
    self.isWhole = isWhole
  }
}

/// What an operation has brought.
public enum GATTResult: Hashable, Sendable {
  /// The MTU that holds now, in octets.
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
  /// Nothing but success.
  case done
}

/// Why an operation has failed.
public enum GATTFailure: Error, Hashable, Sendable {
  /// The server answered with an Error Response.
  case refused(ATTErrorCode, request: ATTOpcode, handle: UInt16)
  /// The server's answer breaks the protocol.
  case violation(GATTViolation)
  /// The server did not answer in time; nothing more goes over this bearer (Core 5.4 Vol 3 Part F 3.3.3).
  case timedOut
  /// The bearer ended before the operation did.
  case closed
  /// A part of a reliable write came back changed; nothing was written (Core 5.4 Vol 3 Part G 4.9.5).
  case mismatch(handle: UInt16)
  /// The characteristic has no Client Characteristic Configuration, or none is known.
  case noConfiguration(handle: UInt16)
  /// The value cannot be signed: there is no bond with a signing key.
  case noSigningKey
  /// The value does not fit: more than 512 octets, or more than a Write Command holds.
  case tooLong(octets: Int, limit: Int)
  /// The operation names too few attributes for its request.
  case tooFewAttributes
}

/// What a server can do that the protocol does not allow.
public enum GATTViolation: Error, Hashable, Sendable {
  /// A PDU that does not fit its layout, the MTU or the lengths that its entries can have.
  case malformed(ATTOpcode)
  /// Handles outside the range that was asked for, or not ascending.
  case handleOutOfOrder(ATTOpcode, handle: UInt16)
  /// A value of more than 512 octets (Core 5.4 Vol 3 Part F 3.2.9).
  case valueTooLong
  /// A response to no request that is under way. It is ignored.
  case unexpectedResponse(ATTOpcode)
}

/// How an operation has ended.
public typealias GATTOutcome = Result<GATTResult, GATTFailure>

/// What a client reports.
public enum GATTClientEvent: Hashable, Sendable {
  /// An operation was taken, where the owner wants to know of that.
  case began(OperationID, GATTOperation)
  /// An operation has ended; each one does, once.
  case ended(OperationID, GATTOutcome)
  /// A notification (Core 5.4 Vol 3 Part G 4.10).
  case notification(handle: UInt16, value: [UInt8])
  /// An indication, which has been confirmed (Core 5.4 Vol 3 Part G 4.11).
  case indication(handle: UInt16, value: [UInt8])
  /// The server's attributes in that range have changed, and what was known of them is forgotten
  /// (Core 5.4 Vol 3 Part G 7.1).
  case servicesChanged(ClosedRange<UInt16>)
  /// The server answered Database Out Of Sync, and everything known is forgotten (Core 5.4 Vol 3 Part G 2.5.2.1).
  case databaseOutOfSync
  /// Something of the server's that no operation answers for was ignored.
  case violation(GATTViolation)
}
