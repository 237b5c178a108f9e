/// Arithmetic with times out of files. A file can say any time, so differences and sums stop at the ends of `Int64` instead of
/// trapping.
extension Int64 {
  /// The time that has passed since an earlier time, in the unit of both; negative when that one is later.
  package func elapsed(since earlier: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(earlier)
    return isOver ? (self < earlier ? .min : .max) : difference
  }

  /// The time that so much later is, in the unit of both.
  package func advanced(bySaturating duration: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(duration)
    return isOver ? (duration < 0 ? .min : .max) : sum
  }

  /// So many units of `factor` nanoseconds each, in nanoseconds.
  package func nanoseconds(inUnitsOf factor: Int64) -> Int64 {
    let (product, isOver) = multipliedReportingOverflow(by: factor)
    return isOver ? (self < 0 ? .min : .max) : product
  }
}
