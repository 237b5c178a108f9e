/// A growing run of octets. Packets are written into it directly, little endian, and patched in place.
///
/// One such run collects everything that one turn of the loop sends, is written with one system call, and is then reused, so that the hot
/// path allocates nothing. It is not copyable: the layers pass it on as `inout`.
public struct OctetBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawBufferPointer
  /// The number of octets written.
  public private(set) var count: Int

  /// Creates an empty buffer with a capacity of at least `minimumCapacity` octets.
  public init(minimumCapacity: Int = 0) {
    base = .allocate(byteCount: max(minimumCapacity, 64), alignment: 16)
    count = 0
  }

  deinit { base.deallocate() }

  /// Whether the buffer is empty.
  public var isEmpty: Bool { count == 0 }

  /// The octet at `offset`, which must be below `count`.
  public subscript(offset: Int) -> UInt8 {
    get {
      precondition(offset >= 0 && offset < count, "octet offset out of range")
      return base[offset]
    }
    set {
      precondition(offset >= 0 && offset < count, "octet offset out of range")
      base[offset] = newValue
    }
  }

  /// Reserves space for `additional` more octets.
  @inline(__always)
  public mutating func reserve(_ additional: Int) {
    if base.count - count < additional { grow(additional) }
  }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(base.count * 2, count + additional), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: base[..<count]))
    base.deallocate()
    base = larger
  }

  /// Appends one octet.
  public mutating func append(_ octet: UInt8) {
    reserve(1)
    base[count] = octet
    count += 1
  }

  /// Appends an integer, little endian, as in Bluetooth.
  public mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    let size = MemoryLayout<Value>.size
    reserve(size)
    base.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
    count += size
  }

  /// Appends the octets of a span.
  public mutating func append(_ octets: Span<UInt8>) {
    let length = octets.count
    guard length > 0 else { return }
    reserve(length)
    octets.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(rebasing: base[count...]).copyMemory(from: source)
    }
    count += length
  }

  /// Appends the octets of an array.
  public mutating func append(_ octets: [UInt8]) { append(octets.span) }

  /// Appends the octets of a slice.
  public mutating func append(_ octets: ArraySlice<UInt8>) { append(octets.span) }

  /// Overwrites two octets at `offset` with an integer, little endian. Used for lengths that are known only after the content.
  public mutating func patch(littleEndian value: UInt16, at offset: Int) {
    precondition(offset >= 0 && offset + 2 <= count, "patch out of range")
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
  }

  /// Removes everything after the first `length` octets.
  public mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count, "truncation out of range")
    count = length
  }

  /// Removes the first `length` octets and moves the rest to the front.
  public mutating func removeFirst(_ length: Int) {
    precondition(length >= 0 && length <= count, "removal out of range")
    remove(0..<length)
  }

  /// Removes the octets in a range and moves the rest forward.
  public mutating func remove(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "removal out of range")
    if range.upperBound < count && !range.isEmpty {
      UnsafeMutableRawBufferPointer(rebasing: base[range.lowerBound...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: base[range.upperBound..<count]))
    }
    count -= range.count
  }

  /// Removes everything, but keeps the capacity.
  public mutating func removeAll() { count = 0 }

  /// Calls `body` with the octets written so far.
  public borrowing func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: base[..<count])))
  }

  /// Returns a copy of the octets from `offset` on.
  public borrowing func copy(from offset: Int = 0) -> [UInt8] {
    precondition(offset >= 0 && offset <= count, "copy out of range")
    return Array(base[offset..<count])
  }

  /// Lets `fill` write up to `capacity` octets after the existing ones, and appends as many as it returns: for `read(2)`.
  public mutating func appendUnsafe<Failure: Error>(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    reserve(capacity)
    let written = try fill(UnsafeMutableRawBufferPointer(rebasing: base[count..<(count + capacity)]))
    precondition(written >= 0 && written <= capacity, "more octets than capacity")
    count += written
  }
}
