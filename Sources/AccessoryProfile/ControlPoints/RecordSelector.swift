import BLECore

/// A parameter that selects records of a table by an operator and its operand, as in the Record Access Control Point (Glucose Service 1.0.1
/// 3.4; the same in all services with this characteristic).
public struct RecordSelector: Hashable, Sendable {
  /// The table.
  public var table: String
  /// The filter types that operands may use.
  public var filters: [Filter]
  /// The outcome for an invalid operator, such as Null.
  public var invalidOperator: ControlPoint.Refusal
  /// The outcome for an unknown operator.
  public var unsupportedOperator: ControlPoint.Refusal
  /// The outcome for an operand that does not match its operator.
  public var invalidOperand: ControlPoint.Refusal
  /// The outcome for a filter type that is not among the filters.
  public var unsupportedOperand: ControlPoint.Refusal

  /// A filter type.
  public struct Filter: Hashable, Sendable {
    /// Its number.
    public var number: UInt8
    /// The column to compare.
    public var column: String
    /// The format of numbers in operands, which is that of the column.
    public var format: IntegerFormat
  }

  /// Parses an operator and its operand.
  func selection(_ octets: ArraySlice<UInt8>) throws(ReceivedCommand.Fault) -> RecordSelection {
    guard let code = octets.first, code != 0 else { throw .refused(invalidOperator) }
    let operand = octets.dropFirst()
    switch code {
    case 1, 5, 6:
      guard operand.isEmpty else { throw .refused(invalidOperand) }
      return code == 1 ? .all : code == 5 ? .first : .last
    case 2, 3:
      let (column, numbers) = try numbers(operand, count: 1)
      return code == 2 ? .within(column, -.infinity...numbers[0]) : .within(column, numbers[0]...(.infinity))
    case 4:
      let (column, numbers) = try numbers(operand, count: 2)
      guard numbers[0] <= numbers[1] else { throw .refused(invalidOperand) }
      return .within(column, numbers[0]...numbers[1])
    default: throw .refused(unsupportedOperator)
    }
  }

  /// Parses a filter type followed by `count` numbers. Returns its column and the numbers.
  private func numbers(
    _ operand: ArraySlice<UInt8>, count: Int
  ) throws(ReceivedCommand.Fault) -> (column: String, [Double]) {
    guard let type = operand.first else { throw .refused(invalidOperand) }
    guard let filter = filters.first(where: { $0.number == type }) else { throw .refused(unsupportedOperand) }
    var rest = Array(operand.dropFirst())
    let size = filter.format.octets
    guard rest.count == count * size else { throw .refused(invalidOperand) }
    var numbers: [Double] = []
    while !rest.isEmpty {
      guard let number = ValueFormat.integer(filter.format).decode(Array(rest.prefix(size))).number else {
        throw .refused(invalidOperand)
      }
      numbers.append(number)
      rest.removeFirst(size)
    }
    return (filter.column, numbers)
  }
}

/// A selection of records of a table.
enum RecordSelection: Hashable, Sendable {
  case all
  case first
  case last
  /// Records whose number in a column is within bounds.
  case within(String, ClosedRange<Double>)

  /// Returns the selected records, in the order of the table.
  func rows(of table: RecordTable) -> [RecordTable.Record] {
    switch self {
    case .all: table.rows
    case .first: Array(table.rows.prefix(1))
    case .last: Array(table.rows.suffix(1))
    case .within(let column, let range):
      table.rows.filter { row in table.value(column, in: row)?.number.map { range.contains($0) } ?? false }
    }
  }
}
