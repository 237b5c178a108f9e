import BLECore

/// What connects a scripted host to its controller, and lets time pass.
package protocol HostStage: AnyObject {
  /// The time.
  var now: Instant { get }
  /// Delivers what hosts have for their controllers. Call it after anything was done to a host.
  func exchange()
  /// Notes that something was done to a host while octets are being delivered. What it has for its controller is delivered next.
  func touch(_ host: any RadioParticipant)
  /// Lets a time pass.
  func run(for duration: Duration)
  /// Lets time pass until `condition` holds, at most `limit`. Returns whether it holds.
  @discardableResult
  func run(until condition: () -> Bool, limit: Duration) -> Bool
}

extension HostStage {
  /// Lets at most ten seconds pass until `condition` holds. Returns whether it holds.
  @discardableResult
  package func run(until condition: () -> Bool) -> Bool { run(until: condition, limit: .seconds(10)) }
}
