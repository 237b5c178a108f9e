// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.3.1 ATT_FIND_INFORMATION_REQ
public struct FindInformationRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.findInformationRequest
  /// The first handle of the range.
  public var start: UInt16 = 0
  /// The last handle of the range.
  public var end: UInt16 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(start: UInt16, end: UInt16) {
    self.start = start
    self.end = end
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Starting Handle", &start)
    try fields.integer("Ending Handle", &end)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.3.2 ATT_FIND_INFORMATION_RSP
public struct FindInformationResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.findInformationResponse
  /// 0x01: handles with 16-bit UUIDs; 0x02: handles with 128-bit UUIDs.
  public var format: UInt8 = 0
  /// Pairs of handle and UUID, all of the same length.
  public var information: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(format: UInt8, information: [UInt8]) {
    self.format = format
    self.information = information
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Format", &format)
    try fields.remainder("Information Data", &information)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.3.3 ATT_FIND_BY_TYPE_VALUE_REQ
public struct FindByTypeValueRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.findByTypeValueRequest
  /// The first handle of the range.
  public var start: UInt16 = 0
  /// The last handle of the range.
  public var end: UInt16 = 0
  /// The 16-bit type of the attributes to find.
  public var type: UInt16 = 0
  /// The value of the attributes to find.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(start: UInt16, end: UInt16, type: UInt16, value: [UInt8]) {
    self.start = start
    self.end = end
    self.type = type
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Starting Handle", &start)
    try fields.integer("Ending Handle", &end)
    try fields.integer("Attribute Type", &type)
    try fields.remainder("Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.3.4 ATT_FIND_BY_TYPE_VALUE_RSP
public struct FindByTypeValueResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.findByTypeValueResponse
  /// The groups found.
  public var handles: [HandlesInformation] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handles: [HandlesInformation]) {
    self.handles = handles
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Handles Information List", &handles)
  }
}

/// A group that was found (Core 5.4 Vol 3 Part F 3.4.3.4).
public struct HandlesInformation: OctetLayout, Hashable {
  /// The attribute.
  public var found: UInt16 = 0
  /// The last attribute of its group.
  public var groupEnd: UInt16 = 0

  public init() {}

  /// Creates an entry with these fields.
  public init(found: UInt16, groupEnd: UInt16) {
    self.found = found
    self.groupEnd = groupEnd
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Found Attribute Handle", &found)
    try fields.integer("Group End Handle", &groupEnd)
  }
}

extension FindInformationResponse {
  /// Writes the response entry by entry into a buffer with other contents.
  package struct Writer {
    private let end: Int
    private let typeLength: Int

    /// Appends the header. All types have `typeLength` octets, 2 or 16, and the PDU has at most `limit`.
    package init(typeLength: Int, limit: Int, into buffer: inout OctetBuffer) {
      end = buffer.count + limit
      self.typeLength = typeLength
      buffer.append(FindInformationResponse.opcode.rawValue)
      buffer.append(typeLength == 2 ? 0x01 : 0x02)
    }

    /// Appends an entry. Returns false, and appends nothing, if its type has another length or there is no room.
    package func append(_ handle: UInt16, _ type: BluetoothUUID, into buffer: inout OctetBuffer) -> Bool {
      guard type.octetCount == typeLength, buffer.count + 2 + typeLength <= end else { return false }
      buffer.append(littleEndian: handle)
      buffer.append(type.littleEndianOctets)
      return true
    }
  }
}

extension FindByTypeValueResponse {
  /// Writes the response entry by entry into a buffer with other contents.
  package struct Writer {
    private let start: Int
    private let end: Int

    /// Appends the opcode. The PDU has at most `limit` octets.
    package init(limit: Int, into buffer: inout OctetBuffer) {
      start = buffer.count
      end = start + limit
      buffer.append(FindByTypeValueResponse.opcode.rawValue)
    }

    /// Returns whether there is room for another entry.
    package func hasRoom(in buffer: borrowing OctetBuffer) -> Bool { buffer.count + 4 <= end }

    /// Returns whether it has no entries yet.
    package func isEmpty(in buffer: borrowing OctetBuffer) -> Bool { buffer.count == start + 1 }

    /// Appends an entry. There must be room for it.
    package func append(found: UInt16, groupEnd: UInt16, into buffer: inout OctetBuffer) {
      buffer.append(littleEndian: found)
      buffer.append(littleEndian: groupEnd)
    }
  }
}
