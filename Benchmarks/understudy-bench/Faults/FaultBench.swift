import AccessoryProfile
import BLEATT
import BLECore
import Bench
import Faults

/// A measurement of what armed faults cost the accesses to characteristics that they do not concern.
struct FaultBench {
  /// What a client and the accessory do with a characteristic that no fault concerns.
  enum Access: String, CaseIterable {
    case read, write, notification
  }

  /// The time that one kind of access takes.
  struct Figure {
    var access: Access
    /// The time without any fault.
    var bare: Duration
    /// The time with faults armed on another characteristic.
    var armed: Duration
  }

  /// How many faults are armed.
  var faults: Int

  static let rounds = 40

  /// Measures with that many accesses in each round. Rounds with and without faults alternate.
  func measure(accesses: Int) throws -> [Figure] {
    let host = try MeasuredHost(try Self.profile)
    try host.connect(0)
    return try Access.allCases.map { access in
      var figure = Figure(access: access, bare: .seconds(3600), armed: .seconds(3600))
      for _ in 0..<Self.rounds {
        host.disarm()
        figure.bare = min(figure.bare, try time(access, accesses, on: host))
        host.arm(armed)
        figure.armed = min(figure.armed, try time(access, accesses, on: host))
      }
      guard host.firedFaults == 0 else { throw StepFailure("a fault happened that concerns another characteristic") }
      return figure
    }
  }

  private func time(_ access: Access, _ count: Int, on host: MeasuredHost) throws -> Duration {
    let attribute = try host.handle(of: "watched-by-none")
    let exchange: [UInt8] =
      switch access {
      case .read: ReadRequest(handle: attribute).encodedPDU
      case .write: WriteRequest(handle: attribute, value: [1, 2, 3, 4]).encodedPDU
      case .notification: []
      }
    let clock = ContinuousClock()
    let start = clock.now
    if access == .notification {
      try host.notify("watched-by-none", times: count, on: 0)
    } else {
      host.exchange(exchange, times: count, on: 0)
    }
    return (clock.now - start) / count
  }

  /// Faults of every kind of access, which all concern the other characteristic.
  private var armed: [Fault] {
    let occasions: [FaultOccasion] = [
      .access(.access, of: "watched"), .push(.push, of: "watched"), .subscribed("watched"),
      .access(.subscribe, of: "watched"),
    ]
    return (0..<faults).map { Fault(id: "fault-\($0)", on: occasions[$0 % occasions.count], do: .ignore) }
  }

  private static var profile: Profile {
    get throws {
      try Profile.load(
        text: """
          understudy: 1
          name: Faulty
          services:
            - uuid: FF00
              characteristics:
                - { id: watched, uuid: FF01, properties: [read, write, notify, indicate], value: "hex:00", max-length: 20 }
                - { id: watched-by-none, uuid: FF02, properties: [read, write, notify, indicate], value: "hex:00", max-length: 20 }
          l2cap: [ { id: any, psm: 0x80, handler: sink } ]
          """)
    }
  }
}
