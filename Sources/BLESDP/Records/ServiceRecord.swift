import BLECore

/// An attribute of a service record (Core 5.4 Vol 3 Part B 2.3).
public struct ServiceAttribute: Hashable, Sendable {
  /// The id.
  public let id: AttributeID
  /// The value.
  public let value: DataElement

  /// Creates an attribute.
  public init(_ id: AttributeID, _ value: DataElement) {
    self.id = id
    self.value = value
  }
}

/// What a device tells about one of its services: attributes with values (Core 5.4 Vol 3 Part B 2.2).
public struct ServiceRecord: Hashable, Sendable {
  /// The attributes in ascending order of their ids.
  public private(set) var attributes: [ServiceAttribute] = []

  /// Creates a record without attributes.
  public init() {}

  /// Creates a record with these attributes. Of several with the same id, the last counts.
  public init(_ attributes: [ServiceAttribute]) {
    for attribute in attributes { self[attribute.id] = attribute.value }
  }

  /// The value of an attribute; nil if the record does not have it. A null value is no value (Core 5.4 Vol 3 Part B 4.6.2).
  public subscript(id: AttributeID) -> DataElement? {
    get {
      let place = place(of: id)
      return place < attributes.count && attributes[place].id == id ? attributes[place].value : nil
    }
    set {
      let place = place(of: id)
      let exists = place < attributes.count && attributes[place].id == id
      if exists { attributes.remove(at: place) }
      if let newValue, newValue != .null { attributes.insert(ServiceAttribute(id, newValue), at: place) }
    }
  }

  /// Returns the place of the first attribute whose id is not lower than this one.
  private func place(of id: AttributeID) -> Int {
    var (low, high) = (0, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns whether a UUID is anywhere in the record, whatever its form (Core 5.4 Vol 3 Part B 2.6).
  public func contains(_ uuid: BluetoothUUID) -> Bool { attributes.contains { $0.value.contains(uuid) } }

  // MARK: As octets

  /// The attributes with these ids as a sequence of ids and values in turn (Core 5.4 Vol 3 Part B 4.6.2).
  public func attributeList(_ ids: AttributeSelection = .all) -> DataElement {
    .sequence(
      attributes.lazy.filter { ids.contains($0.id) }.flatMap { [.unsigned16($0.id.rawValue), $0.value] })
  }

  /// Creates a record from a sequence of ids and values in turn; nil for any other element.
  public init?(attributeList: DataElement) {
    guard case .sequence(let elements) = attributeList, elements.count.isMultiple(of: 2) else { return nil }
    for place in stride(from: 0, to: elements.count, by: 2) {
      guard case .unsigned16(let id) = elements[place] else { return nil }
      self[AttributeID(rawValue: id)] = elements[place + 1]
    }
  }
}

extension DataElement {
  /// Returns whether this element is the UUID, or contains it.
  func contains(_ uuid: BluetoothUUID) -> Bool {
    if let elements { return elements.contains { $0.contains(uuid) } }
    return self.uuid == uuid
  }
}

/// The attributes that a client wants: ids and ranges of ids (Core 5.4 Vol 3 Part B 4.6.1).
public struct AttributeSelection: Hashable, Sendable {
  /// The number of ids and ranges in a received selection.
  public static let maximumCount = 64

  /// The ranges. A single id is a range of one.
  public private(set) var ranges: [ClosedRange<UInt16>]

  /// All attributes.
  public static let all = AttributeSelection([0x0000...0xFFFF])

  /// Creates a selection of ranges, in ascending order.
  public init(_ ranges: [ClosedRange<UInt16>]) { self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound } }

  /// Creates a selection of single attributes.
  public init(_ ids: [AttributeID]) { self.init(ids.map { $0.rawValue...$0.rawValue }) }

  /// Returns whether it contains an attribute.
  public func contains(_ id: AttributeID) -> Bool { ranges.contains { $0.contains(id.rawValue) } }

  /// The selection as in a request: a sequence of 16-bit ids, and 32-bit ranges.
  public var element: DataElement {
    .sequence(
      ranges.map { range in
        range.count == 1
          ? .unsigned16(range.lowerBound) : .unsigned32(UInt32(range.lowerBound) << 16 | UInt32(range.upperBound))
      })
  }

  /// Creates the selection of a request; throws if the element is none, or has too many parts.
  init(_ element: DataElement) throws(SDPRefusal) {
    guard case .sequence(let elements) = element else { throw SDPRefusal(.invalidRequestSyntax) }
    guard elements.count <= Self.maximumCount else { throw SDPRefusal(.insufficientResources) }
    var ranges: [ClosedRange<UInt16>] = []
    for element in elements {
      switch element {
      case .unsigned16(let id): ranges.append(id...id)
      case .unsigned32(let range):
        let (first, last) = (UInt16(truncatingIfNeeded: range >> 16), UInt16(truncatingIfNeeded: range))
        guard first <= last else { throw SDPRefusal(.invalidRequestSyntax) }
        ranges.append(first...last)
      default: throw SDPRefusal(.invalidRequestSyntax)
      }
    }
    self.init(ranges)
  }
}

/// UUIDs all of which a record must contain (Core 5.4 Vol 3 Part B 2.6.2).
public struct SearchPattern: Hashable, Sendable {
  /// The number of UUIDs that a pattern has at most (Core 5.4 Vol 3 Part B 4.5.1).
  public static let maximumCount = 12

  /// The UUIDs.
  public var uuids: [BluetoothUUID]

  /// Creates a pattern of 1 to 12 UUIDs.
  public init(_ uuids: [BluetoothUUID]) { self.uuids = uuids }

  /// The records that a client finds without a service in mind (Core 5.4 Vol 3 Part B 2.7).
  public static let publicBrowseRoot = SearchPattern([.publicBrowseRoot])

  /// Returns whether a record matches.
  public func matches(_ record: ServiceRecord) -> Bool { uuids.allSatisfy(record.contains) }

  /// The pattern as in a request.
  public var element: DataElement { .sequence(uuids.map { .uuid($0) }) }

  /// Creates the pattern of a request; throws if the element is none.
  init(_ element: DataElement) throws(SDPRefusal) {
    guard case .sequence(let elements) = element, (1...Self.maximumCount).contains(elements.count) else {
      throw SDPRefusal(.invalidRequestSyntax)
    }
    uuids = []
    for element in elements {
      guard let uuid = element.uuid else { throw SDPRefusal(.invalidRequestSyntax) }
      uuids.append(uuid)
    }
  }
}

/// A request that is refused; it becomes an SDP_ERROR_RSP.
struct SDPRefusal: Error, Hashable {
  let error: SDPErrorCode

  init(_ error: SDPErrorCode) { self.error = error }
}
