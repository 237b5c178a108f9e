/// Parses the records of a capture file of any format, from octets in runs of any length.
///
/// It accepts any octets. It stores at most one record and one run; a record longer than `recordLimit` is corrupt.
///
/// ```swift
/// var parser = CaptureParser()
/// var record = CaptureRecord()
/// while let run = try nextRun() {
///   parser.push(run)
///   while try parser.next(into: &record) { print(record) }
/// }
/// parser.end()
/// while try parser.next(into: &record) { print(record) }
/// ```
package struct CaptureParser: Sendable {
  /// The maximum length of a record, in octets. Longer ones are corrupt.
  package static let recordLimit = 1 << 20

  /// The file's format, once enough octets have arrived.
  package private(set) var format: CaptureFormat?

  private var parser: (any RecordParsing)?
  private var octets: [UInt8] = []
  private var offset = 0
  /// The number of octets of the file before `octets`.
  private var passed: UInt64 = 0
  private var hasEnded = false
  private var fault: CaptureFault?

  /// Creates a parser at the start of a file.
  package init() {}

  /// The number of octets of the file that have been read.
  package var position: UInt64 { passed + UInt64(offset) }

  /// Appends the next octets of the file.
  package mutating func push(_ run: Span<UInt8>) {
    if offset > 0 {
      passed += UInt64(offset)
      octets.removeFirst(offset)
      offset = 0
    }
    run.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
  }

  /// Notes that there are no more octets.
  package mutating func end() {
    hasEnded = true
    parser?.end()
  }

  /// Parses the next record; false if more octets are needed, or at the end. Throws the fault of the file, every time from then on.
  package mutating func next(into record: inout CaptureRecord) throws(CaptureFault) -> Bool {
    if let fault { throw fault }
    do throws(CaptureFault) {
      return try step(into: &record)
    } catch {
      fault = error
      throw error
    }
  }

  private mutating func step(into record: inout CaptureRecord) throws(CaptureFault) -> Bool {
    if parser == nil, !(try detect()) { return false }
    guard var parser else { return false }
    defer { self.parser = parser }
    // The copy is free, and lets the span outlive changes of this value.
    let octets = octets
    while offset < octets.count {
      switch try parser.step(octets.span.extracting(offset...), at: position, into: &record) {
      case .record(let count):
        offset += count
        return true
      case .passed(let count): offset += count
      case .needs(let count):
        guard count <= Self.recordLimit else { throw .corrupt(offset: position) }
        if hasEnded { throw .truncated(offset: position) }
        return false
      }
    }
    return false
  }

  /// Detects the format from the start of the file; false if more octets are needed.
  private mutating func detect() throws(CaptureFault) -> Bool {
    let octets = octets
    let span = octets.span.extracting(offset...)
    guard span.count >= 16 || hasEnded else { return false }
    guard span.count > 0 else { return false }
    if BTSnoopParser.begins(span) {
      let parser = try BTSnoopParser(span)
      format = parser.format
      self.parser = parser
      offset += BTSnoopFormat.headerLength
    } else if PcapNGParser.begins(span) {
      format = .pcapng
      parser = PcapNGParser()
    } else if let isBigEndian = PcapParser.byteOrder(span) {
      guard span.count >= PcapParser.headerLength || hasEnded else { return false }
      format = .pcap
      parser = try PcapParser(span, isBigEndian: isBigEndian)
      offset += PcapParser.headerLength
    } else if let isBigEndian = PacketLoggerParser.byteOrder(span) {
      format = .packetLogger
      parser = PacketLoggerParser(isBigEndian: isBigEndian)
    } else {
      throw .unknownFormat
    }
    if hasEnded { parser?.end() }
    return true
  }
}

/// A parser of one format.
protocol RecordParsing: Sendable {
  /// Parses the start of `octets`, of which there is at least one, at `position` of the file.
  mutating func step(
    _ octets: Span<UInt8>, at position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> ParsingStep

  /// Notes that there are no more octets.
  mutating func end()
}

extension RecordParsing {
  mutating func end() {}
}

/// The result of a step.
enum ParsingStep {
  /// A record of this many octets.
  case record(Int)
  /// This many octets without a record.
  case passed(Int)
  /// Nothing: this many octets are needed.
  case needs(Int)
}

extension Span<UInt8> {
  /// Returns an unsigned integer of two octets, which must exist.
  func word(at offset: Int, isBigEndian: Bool) -> UInt16 {
    isBigEndian
      ? UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) : UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  /// Returns an unsigned integer of four octets, which must exist.
  func long(at offset: Int, isBigEndian: Bool) -> UInt32 {
    let first = UInt32(word(at: offset, isBigEndian: isBigEndian))
    let second = UInt32(word(at: offset + 2, isBigEndian: isBigEndian))
    return isBigEndian ? first << 16 | second : first | second << 16
  }

  /// Returns an unsigned integer of eight octets, which must exist.
  func quad(at offset: Int, isBigEndian: Bool) -> UInt64 {
    let first = UInt64(long(at: offset, isBigEndian: isBigEndian))
    let second = UInt64(long(at: offset + 4, isBigEndian: isBigEndian))
    return isBigEndian ? first << 32 | second : first | second << 32
  }

  /// A copy of the octets.
  var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
