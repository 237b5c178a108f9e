import AccessoryProfile
import BLEGAP
import BLEGATT

/// Rules for the battery life that `PowerEstimate` predicts.
extension LintRule {
  static let batteryRules = [advertisingCost, sendingCost, sleeplessLink]

  /// The average current that a coin cell supplies for a month, in µA: 225 mAh in 31 days.
  private static let monthly = 300.0

  private static func rounded(_ current: Double) -> String { "\(Int(current.rounded())) µA" }

  private static let advertisingCost = LintRule(
    "advertising-cost", .warning, [.core, .apple],
    title: "A coin cell lasts for a month of advertising without a time limit.",
    why:
      "A short interval helps just after a person has touched the accessory; later it only drains the battery. The "
      + "estimate is for an nRF52832 at 0 dBm and 3 V.",
    source: .talk(2017, 712),
    bad: .init(
      "advertising: [ { id: main, interval: 20 ms, data: { flags: [general], name: complete, services: [battery] } } ]",
      at: (3, 28)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 1022.5 ms } ]
      """),
    applies: { $0.sets.contains { $0.definition.startsAutomatically && !$0.definition.isHighDuty } }
  ) { subject in
    subject.sets.compactMap { set in
      guard set.definition.startsAutomatically, !set.definition.isHighDuty, set.definition.maximumEvents == nil,
        subject.profile.sleep.delay == nil,
        let last = set.definition.schedule.last, last.duration == nil
      else { return nil }
      let current = PowerEstimate.current(of: set.definition, interval: last.interval)
      guard current > monthly else { return nil }
      return LintIssue(
        set.node?.key(["schedule"]) ?? set.key("interval"),
        "'\(set.definition.id)' advertises every \(Durations.text(last.interval)) for ever: about \(rounded(current)), "
          + "\(PowerEstimate.days(at: current)) days of a CR2032",
        remedy: "end with a longer interval, such as 1022.5 ms, or with a duration")
    }
  }

  private static let sendingCost = LintRule(
    "notification-cost", .note, [.core],
    title: "A coin cell lasts for a month of periodic values.",
    why:
      "Every packet costs charge. The estimate is for an nRF52832 at 0 dBm and 3 V, and one client that subscribes to "
      + "all.",
    source: .other("Nordic Semiconductor, nRF52832 Product Specification 1.8", 2021),
    bad: .init(Self.sensors("15 ms"), at: (3, 1)), good: .init(Self.sensors("1 s")),
    applies: { !$0.periodicValues.isEmpty }
  ) { subject in
    let values = subject.periodicValues
    let current = values.reduce(0) { $0 + PowerEstimate.current(ofSending: $1.octets, every: $1.period) }
    guard current > monthly else { return [] }
    return [
      LintIssue(
        subject.key("services"),
        "the accessory sends \(values.count) values periodically: about \(rounded(current)), "
          + "\(PowerEstimate.days(at: current)) days of a CR2032",
        remedy: "send less often, or only when a value has changed")
    ]
  }

  private static let sleeplessLink = LintRule(
    "sleepless-link", .note, [.core],
    title: "If an accessory has little to send, it requests a peripheral latency.",
    why:
      "Without latency it must listen at every connection event, even with nothing to send. With a latency of 4 it "
      + "sleeps through four events of five, and still sends at once.",
    source: .core("Vol 6 Part B 4.5.1"),
    bad: .init(
      "connection: { request: { interval: [15 ms, 30 ms], timeout: 6 s } }\n" + Self.sensor("10 min", 4), at: (3, 15)),
    good: .init(
      "connection: { request: { interval: [15 ms, 30 ms], latency: 4, timeout: 6 s } }\n" + Self.sensor("10 min", 4)),
    applies: { $0.profile.connection.parameterRequest != nil && !$0.periodicValues.isEmpty }
  ) { subject in
    guard let request = subject.profile.connection.parameterRequest, request.latency == 0,
      request.intervals.upperBound <= .milliseconds(60), subject.profile.channels.isEmpty,
      !subject.characteristics.contains(where: { $0.definition.notifiesContinuously }),
      let soonest = subject.periodicValues.map(\.period).min(), soonest >= .seconds(60)
    else { return [] }
    return [
      LintIssue(
        subject.key("connection", "request"),
        "it wakes every \(Durations.text(request.intervals.upperBound)), and sends every \(Durations.text(soonest))",
        remedy: "add latency: 4, or request a longer interval",
        fix: .inserting("latency: 4", into: subject.value("connection", "request")))
    ]
  }

  private static func sensors(_ period: String) -> String {
    let members = (2...3).map {
      "{ uuid: A000000\($0)-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [notify], value: { pattern: counter, length: 20 }, notify: { every: \(period) }, description: Samples }"
    }
    return
      "services:\n  - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00\n    characteristics: [ \(members.joined(separator: ", ")) ]"
  }

  private static func sensor(_ period: String, _ octets: Int) -> String {
    """
    services:
      - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
        characteristics:
          - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
            properties: [read, notify]
            value: { pattern: counter, length: \(octets) }
            notify: { every: \(period) }
            description: Samples
    """
  }
}
