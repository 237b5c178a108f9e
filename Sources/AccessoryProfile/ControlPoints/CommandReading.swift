import BLECore

/// A parsed command of a client.
struct ReceivedCommand {
  /// The command of the control point.
  var command: ControlPoint.Command
  /// The values of the parameters, except attributes.
  var values: [String: ProfileValue] = [:]
  /// The octets of the parameters, as written.
  var octets: [String: [UInt8]] = [:]
  /// The requested columns, in the order of the request.
  var attributes: [(attribute: ControlPoint.Attribute, maximum: Int)] = []
  /// The records that the parameters select.
  var selections: [String: (table: String, selection: RecordSelection)] = [:]

  /// The reason why a written value is not a command.
  enum Fault: Error {
    case unknownOpcode
    case malformed
    /// An attribute that is not in the table, or an invalid selection of records.
    case refused(ControlPoint.Refusal)
  }

  /// Parses a written value. All octets must be used.
  init(_ written: [UInt8], of controlPoint: ControlPoint) throws(Fault) {
    guard let opcode = written.first else { throw .malformed }
    guard let command = controlPoint.commands.first(where: { $0.opcode == opcode }) else { throw .unknownOpcode }
    self.command = command
    var rest = written.dropFirst()
    for parameter in command.parameters { try take(parameter, &rest) }
    guard rest.isEmpty else { throw .malformed }
  }

  private mutating func take(_ parameter: ControlPoint.Parameter, _ rest: inout ArraySlice<UInt8>) throws(Fault) {
    let start = rest
    switch parameter.kind {
    case .value(let format):
      var cursor = OctetCursor(Array(rest))
      guard let value = format.take(&cursor) else { throw .malformed }
      values[parameter.name] = value
      rest = rest.dropFirst(cursor.position)
    case .terminatedText:
      guard let end = rest.firstIndex(of: 0), let text = String(validating: rest[..<end], as: UTF8.self) else {
        throw .malformed
      }
      values[parameter.name] = .string(text)
      rest = rest[end...].dropFirst()
    case .attributes(let known, let unknown):
      guard !rest.isEmpty else { throw .malformed }
      while let number = rest.popFirst() {
        guard let attribute = known.first(where: { $0.number == number }) else { throw .refused(unknown) }
        var maximum = Int(UInt16.max)
        if attribute.hasMaximum {
          guard let low = rest.popFirst(), let high = rest.popFirst() else { throw .malformed }
          maximum = Int(low) | Int(high) << 8
        }
        attributes.append((attribute, maximum))
      }
    case .records(let selector):
      selections[parameter.name] = (selector.table, try selector.selection(rest))
      rest = []
    }
    octets[parameter.name] = Array(start.prefix(start.count - rest.count))
  }
}

extension ReceivedCommand {
  /// Returns the answers to the requested attributes: number, length and text of each.
  func answers(from row: RecordTable.Record, of table: RecordTable) -> [UInt8] {
    attributes.flatMap { attribute, maximum -> [UInt8] in
      var text = table.text(of: attribute.column, in: row)
      if attribute.isSize { text = Array("\(text.count)".utf8) }
      text = Self.cut(text, at: maximum)
      return [attribute.number, UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + text
    }
  }

  /// Returns at most `maximum` octets of a text, without splitting a character.
  private static func cut(_ text: [UInt8], at maximum: Int) -> [UInt8] {
    guard text.count > maximum else { return text }
    var end = maximum
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(text[..<end])
  }
}
