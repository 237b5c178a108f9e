import BLECore

extension ProfileLoader {
  /// The maximum number of rows in a recording.
  static let longestReplay = 100_000

  /// Loads the values of a column of a CSV file, with their start times.
  mutating func replay(_ keys: Keys, _ head: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    if head.pairs != nil { return capturedValues(keys, head, format) }
    guard let rows = recording(head), let names = rows.first else { return nil }
    guard let column = column(keys["column"], head, names) else { return nil }
    let timeColumn = keys["time"].map { self.column($0, head, names) }
    let every = keys["every"].map { duration($0, keys.table, "every") } ?? .seconds(1)
    if let every = keys.key("every"), keys["time"] != nil {
      error(every, "'time' and 'every' cannot be combined")
    }
    guard let every, timeColumn == nil || timeColumn != .some(nil) else { return nil }
    var times: [Duration] = []
    var values: [ProfileValue] = []
    for (number, row) in rows.dropFirst().enumerated() {
      guard row.count == names.count else {
        error(head, "line \(number + 2) of the recording has \(row.count) columns, but the first has \(names.count)")
        return nil
      }
      guard let value = constant(head.with(.scalar(row[column], isQuoted: false)), format) else { return nil }
      var time = every * number
      if let place = timeColumn ?? nil {
        guard let seconds = Numbers.decimal(row[place]), (0...3_153_600_000).contains(seconds) else {
          error(head, "line \(number + 2) of the recording: '\(row[place])' is not a time in seconds")
          return nil
        }
        time = .nanoseconds(Int64(seconds * 1e9))
      }
      guard times.last.map({ $0 < time }) ?? true else {
        error(head, "line \(number + 2) of the recording is not later than the one before")
        return nil
      }
      times.append(time)
      values.append(value)
    }
    guard !values.isEmpty else {
      error(head, "the recording has no values")
      return nil
    }
    let last = times.count > 1 ? times[times.count - 1] - times[times.count - 2] : every
    let repeats = keys["repeat"].flatMap { boolean($0) } ?? true
    return .replay(
      ValueSource.Recording(times: times, values: values, end: times[times.count - 1] + last, repeats: repeats))
  }

  /// Reads the rows of a file relative to the profile. The first row contains the names of the columns.
  private mutating func recording(_ node: SyntaxNode) -> [[String]]? {
    guard let path = text(node) else { return nil }
    guard node.source.hasLines else {
      error(node, "only a profile can replay a file")
      return nil
    }
    switch FileReading.text(at: besideProfile(path)) {
    case .failure(let fault):
      error(node, "\(besideProfile(path)): \(fault.reason)")
      return nil
    case .success(let text):
      let lines = text.split(whereSeparator: \.isNewline).filter { !$0.trimmed.isEmpty && $0.first != "#" }
      guard lines.count <= Self.longestReplay + 1 else {
        error(node, "the recording has \(lines.count - 1) rows; the maximum is \(Self.longestReplay)")
        return nil
      }
      return lines.map { line in
        line.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }
      }
    }
  }

  private mutating func column(_ node: SyntaxNode?, _ head: SyntaxNode, _ names: [String]) -> Int? {
    guard let node else {
      if names.count == 1 { return 0 }
      error(head, "the recording has several columns; name one in 'column' (known: \(names.joined(separator: ", ")))")
      return nil
    }
    guard let name = text(node) else { return nil }
    if let place = names.firstIndex(of: name) { return place }
    error(node, "the recording has no column '\(name)'\(hint(for: name, among: names))")
    return nil
  }

  /// Resolves a path relative to the profile's folder.
  func besideProfile(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    return (source.name.lastIndex(of: "/").map { String(source.name[...$0]) } ?? "") + path
  }
}
