/// The position of the attribute with each handle. Handles need not be consecutive: some are fixed, and services come and go.
@usableFromInline
struct HandleMap: Sendable {
  /// The position for each handle up to the highest; `none` if there is no attribute.
  @usableFromInline var positions: [UInt16] = []

  /// A database has at most 65,535 attributes, so no position has this value.
  @usableFromInline static let none = UInt16.max

  @usableFromInline
  init() {}

  init(_ attributes: [Attribute]) {
    positions = Array(repeating: Self.none, count: Int(attributes.last?.handle ?? 0) + 1)
    for (position, attribute) in attributes.enumerated() {
      positions[Int(attribute.handle)] = UInt16(truncatingIfNeeded: position)
    }
  }

  /// Returns the position of the attribute with this handle.
  @inlinable
  func position(of handle: UInt16) -> Int? {
    guard Int(handle) < positions.count else { return nil }
    let position = positions[Int(handle)]
    return position == Self.none ? nil : Int(position)
  }
}
