import AccessoryProfile
import ArgumentParser

/// Durations in options.
enum RunningTime {
  /// Parses a time such as `90s` or `7d`.
  static func parse(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration > .zero else {
      throw ValidationError("it takes a time with a unit, such as 30s, 5min, 12h or 7d")
    }
    return duration
  }
}
