/// A date and time as in Date Time (2A08).
package struct CalendarTime: Hashable, CustomStringConvertible {
  var year: Int
  var month: Int
  var day: Int
  var hours: Int
  var minutes: Int
  var seconds: Int

  /// Creates the time that number of seconds after the beginning of 1970, in the proleptic Gregorian calendar.
  init(secondsSince1970 total: Int64) {
    let (days, rest) = Self.floorDivision(total, 86_400)
    // Days are counted from March 1 of year 0, so that a leap day is the last day of its year.
    let shifted = days + 719_468
    let (era, dayOfEra) = Self.floorDivision(shifted, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    hours = Int(rest / 3600)
    minutes = Int(rest / 60 % 60)
    seconds = Int(rest % 60)
  }

  /// The number of seconds since the beginning of 1970.
  package var secondsSince1970: Int64 {
    let shiftedYear = Int64(year) - (month <= 2 ? 1 : 0)
    let (era, yearOfEra) = Self.floorDivision(shiftedYear, 400)
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return days * 86_400 + Int64(hours * 3600 + minutes * 60 + seconds)
  }

  /// The day of the week: 1 for Monday, 7 for Sunday.
  var dayOfWeek: Int {
    Int(Self.floorDivision(Self.floorDivision(secondsSince1970, 86_400).quotient + 3, 7).remainder) + 1
  }

  /// Decodes seven octets. Returns nil if they are not a valid date and time. A year, month or day of zero, which means unknown, is invalid
  /// here.
  init?(octets: [UInt8]) {
    guard octets.count == 7 else { return nil }
    self.init(
      year: Int(octets[0]) | Int(octets[1]) << 8, month: Int(octets[2]), day: Int(octets[3]), hours: Int(octets[4]),
      minutes: Int(octets[5]), seconds: Int(octets[6]))
  }

  /// Parses a text such as `2024-02-29T23:59:58`. A space may replace the T.
  package init?(_ text: String) {
    let parts = text.split(whereSeparator: { $0 == "T" || $0 == " " })
    guard parts.count == 2 else { return nil }
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    let time = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard date.map(\.count) == [4, 2, 2], time.map(\.count) == [2, 2, 2] else { return nil }
    let numbers = (date + time).compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard numbers.count == 6 else { return nil }
    self.init(
      year: numbers[0], month: numbers[1], day: numbers[2], hours: numbers[3], minutes: numbers[4], seconds: numbers[5])
  }

  private init?(year: Int, month: Int, day: Int, hours: Int, minutes: Int, seconds: Int) {
    guard (1582...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(of: month, in: year),
      (0..<24).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hours = hours
    self.minutes = minutes
    self.seconds = seconds
  }

  /// The time in seven octets: the year with the least significant octet first, then the other parts.
  var octets: [UInt8] {
    [UInt8(truncatingIfNeeded: year), UInt8(truncatingIfNeeded: year >> 8)]
      + [month, day, hours, minutes, seconds].map { UInt8(truncatingIfNeeded: $0) }
  }

  package var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let padding = String(repeating: "0", count: max(0, 4 - "\(year)".count))
    return "\(padding)\(year)-\(two(month))-\(two(day))T\(two(hours)):\(two(minutes)):\(two(seconds))"
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }

  private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A time zone as in Time Zone (2A0E): an offset from UTC in steps of 15 minutes, -48...56, or -128 if it is unknown.
enum TimeZoneOffset {
  static let unknown: Int8 = -128

  /// Parses a text such as `+01:00`, `-03:30`, `utc` or `unknown`. Returns the number of steps.
  static func quarters(of text: String) -> Int8? {
    if text == "unknown" { return unknown }
    if text == "utc" { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-", text.utf8.count == 6 else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 2], let hours = Int(parts[0]), let minutes = Int(parts[1]), hours >= 0,
      [0, 15, 30, 45].contains(minutes)
    else { return nil }
    let steps = (hours * 4 + minutes / 15) * (sign == "-" ? -1 : 1)
    return (-48...56).contains(steps) ? Int8(steps) : nil
  }

  /// Returns the text for a number of steps; nil if the number is not assigned.
  static func text(quarters: Int8) -> String? {
    if quarters == unknown { return "unknown" }
    guard (-48...56).contains(quarters) else { return nil }
    let minutes = abs(Int(quarters)) * 15
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(quarters < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }
}
