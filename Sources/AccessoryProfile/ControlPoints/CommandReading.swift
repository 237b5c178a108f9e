import BLECore

/// A command as a client wrote it, taken apart.
struct ReceivedCommand {
  /// The command of the control point that it is.
  var command: ControlPoint.Command
  /// The values of its parameters; attributes have none.
  var values: [String: ProfileValue] = [:]
  /// The octets of its parameters as they were written.
  var octets: [String: [UInt8]] = [:]
  /// The columns that are asked for, in the order of the request.
  var attributes: [(attribute: ControlPoint.Attribute, maximum: Int)] = []
  /// The records that its parameters choose.
  var selections: [String: (table: String, selection: RecordSelection)] = [:]

  /// Why a write is no command.
  enum Fault: Error {
    case unknownOpcode
    case malformed
    /// An attribute that is not in the table, or records that cannot be chosen in this way.
    case refused(ControlPoint.Refusal)
  }

  /// Takes what was written apart; every octet belongs to something.
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
  /// The answers to the attributes that were asked for: number, length and text of each.
  func answers(from row: RecordTable.Record, of table: RecordTable) -> [UInt8] {
    attributes.flatMap { attribute, maximum -> [UInt8] in
      var text = table.text(of: attribute.column, in: row)
      if attribute.isSize { text = Array("\(text.count)".utf8) }
      text = Self.cut(text, at: maximum)
      return [attribute.number, UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + text
    }
  }

  /// At most so many octets of a text, and no part of a character.
  private static func cut(_ text: [UInt8], at maximum: Int) -> [UInt8] {
    guard text.count > maximum else { return text }
    var end = maximum
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(text[..<end])
  }
}
