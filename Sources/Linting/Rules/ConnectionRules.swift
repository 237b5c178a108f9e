import AccessoryProfile
import BLECore
import BLEGAP

/// Rules for connection parameters, MTU, data length and PHY.
extension LintRule {
  static let connectionRules = [
    connectionParameters, connectionParametersOf2017, connectionParametersOf2013, earlyParameterRequest,
    unansweredRequests, smallMTU, shortDataLength, withoutLE2M,
  ]

  /// The limits that one edition of Apple's guidelines sets for requested connection parameters. All durations are in ms.
  private struct ParameterRules: Sendable {
    /// The least shortest interval.
    var shortest: Double
    /// The shortest interval is a multiple of this.
    var multiple: Double?
    /// The longest interval is longer than the shortest one by at least this.
    var spread: Double
    /// An interval that may be both the shortest and the longest one.
    var single: Double?
    /// The maximum latency.
    var latency: Int
    /// The allowed timeouts.
    var timeouts: ClosedRange<Double>
    /// The maximum of the longest interval times (latency + 1).
    var sleep: Double

    /// Returns the limits that a request breaks, each with its arithmetic. The limits for intervals do not apply to a HID device, except that
    /// its shortest interval is at least 11.25 ms.
    func broken(by request: ConnectionPolicy.ParameterRequest, hasHID: Bool) -> [String] {
      let low = request.intervals.lowerBound / .milliseconds(1)
      let high = request.intervals.upperBound / .milliseconds(1)
      let timeout = request.timeout / .milliseconds(1)
      let effective = high * Double(request.latency + 1)
      var faults: [String] = []
      func text(_ number: Double) -> String { number == number.rounded() ? "\(Int(number))" : "\(number)" }
      if !hasHID || low < 11.25 {
        let least = hasHID ? 11.25 : shortest
        if low < least { faults.append("shortest interval \(text(low)) ms < \(text(least)) ms") }
        if !hasHID, let multiple, low.truncatingRemainder(dividingBy: multiple) != 0 {
          faults.append("shortest interval \(text(low)) ms is not a multiple of \(text(multiple)) ms")
        }
        let isSingle = single.map { low == $0 && high == $0 } ?? false
        if !hasHID, !isSingle, high < low + spread {
          faults.append("longest interval \(text(high)) ms < \(text(low)) + \(text(spread)) ms")
        }
      }
      if request.latency > latency { faults.append("latency \(request.latency) > \(latency)") }
      if timeout < timeouts.lowerBound {
        faults.append("timeout \(text(timeout)) ms < \(text(timeouts.lowerBound)) ms")
      }
      if timeout > timeouts.upperBound {
        faults.append("timeout \(text(timeout)) ms > \(text(timeouts.upperBound)) ms")
      }
      let product = "\(text(high)) ms x (\(request.latency) + 1)"
      if effective > sleep { faults.append("\(product) = \(text(effective)) ms > \(text(sleep)) ms") }
      if effective * 3 >= timeout {
        faults.append("\(product) x 3 = \(text(effective * 3)) ms >= timeout \(text(timeout)) ms")
      }
      return faults
    }
  }

  private static let rulesOf2013 = ParameterRules(
    shortest: 20, spread: 20, latency: 4, timeouts: 0...6000, sleep: 2000)
  private static let rulesOf2017 = ParameterRules(
    shortest: 15, multiple: 15, spread: 15, single: 15, latency: 30, timeouts: 2000...6000, sleep: 2000)
  private static let rulesOfToday = ParameterRules(
    shortest: 15, multiple: 15, spread: 15, single: 15, latency: 30, timeouts: 6000...18_000, sleep: 6000)

  private static func issues(
    _ subject: LintSubject, _ rules: ParameterRules, _ remedy: String
  ) -> [LintIssue] {
    guard let request = subject.profile.connection.parameterRequest else { return [] }
    let faults = rules.broken(by: request, hasHID: !subject.services(0x1812).isEmpty)
    guard !faults.isEmpty else { return [] }
    let onlyTimeout = faults.allSatisfy { $0.hasPrefix("timeout") }
    let mended = ConnectionPolicy.ParameterRequest(
      intervals: request.intervals, latency: request.latency, timeout: .seconds(6), delay: request.delay)
    let isMended = rules.broken(by: mended, hasHID: !subject.services(0x1812).isEmpty).isEmpty
    return [
      LintIssue(
        subject.key("connection", "request", onlyTimeout ? "timeout" : "interval"),
        "the request may be rejected: \(faults.joined(separator: "; "))", remedy: remedy,
        fix: isMended ? .replacing(subject.value("connection", "request", "timeout"), by: "6 s") : nil)
    ]
  }

  private static let connectionParameters = LintRule(
    "connection-parameters", .error, [.apple],
    title: "Requested connection parameters follow Apple's present rules.",
    why: "An Apple device refuses a request that breaks any rule, and keeps its own parameters. The rules are: 15 ms "
      + "<= shortest interval <= 2 s, a multiple of 15 ms; longest interval at least 15 ms longer, or both 15 ms; "
      + "latency <= 30; 6 s <= timeout <= 18 s; longest interval x (latency + 1) <= 6 s, and three times that < "
      + "timeout.",
    source: .guidelines("Bluetooth Low Energy, Connection Parameters", 2025),
    bad: .init("connection: { request: { interval: [20 ms, 40 ms], timeout: 6 s } }", at: (3, 26)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }"),
    applies: { $0.profile.connection.parameterRequest != nil }
  ) { subject in
    issues(
      subject, rulesOfToday, "choose values that follow all rules; [30 ms, 60 ms] with 6 s follows the older ones, too"
    )
  }

  private static let connectionParametersOf2017 = LintRule(
    "connection-parameters-2017", .warning, [.apple],
    title: "Requested connection parameters follow Apple's rules of 2017.",
    why: "Devices with older systems still apply these rules. They differ from the present ones: 2 s <= timeout <= 6 "
      + "s, and longest interval x (latency + 1) <= 2 s.",
    source: .guidelines("40.6"),
    bad: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 8 s } }", at: (3, 52)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }"),
    applies: { $0.profile.connection.parameterRequest != nil }
  ) { subject in
    guard let request = subject.profile.connection.parameterRequest else { return [] }
    // The rule `connection-parameters` reports a request that breaks both.
    let hasHID = !subject.services(0x1812).isEmpty
    guard rulesOfToday.broken(by: request, hasHID: hasHID).isEmpty else { return [] }
    return issues(subject, rulesOf2017, "use a timeout of 6 s, which all of Apple's rules allow")
  }

  private static let connectionParametersOf2013 = LintRule(
    "connection-parameters-2013", .note, [.apple],
    title: "Requested connection parameters follow Apple's rules of 2013.",
    why: "Devices of that time accept a shortest interval from 20 ms, a longest one at least 20 ms longer, a latency "
      + "of at most 4 and a timeout of at most 6 s. They refuse the 15 ms that WWDC 2017 recommends for throughput.",
    source: .guidelinesOf2013("3.6"),
    bad: .init("connection: { request: { interval: [30 ms, 45 ms], timeout: 6 s } }", at: (3, 26)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }"),
    applies: { subject in
      // An accessory for throughput uses 15 ms and cannot follow this rule.
      subject.profile.connection.parameterRequest.map { $0.intervals.lowerBound > .milliseconds(15) } ?? false
    }
  ) { subject in
    guard let request = subject.profile.connection.parameterRequest else { return [] }
    let hasHID = !subject.services(0x1812).isEmpty
    guard rulesOfToday.broken(by: request, hasHID: hasHID).isEmpty,
      rulesOf2017.broken(by: request, hasHID: hasHID).isEmpty
    else { return [] }
    return issues(subject, rulesOf2013, "use [30 ms, 60 ms] and a latency of at most 4, or ignore devices of that time")
  }

  private static let earlyParameterRequest = LintRule(
    "early-parameter-request", .note, [.core],
    title: "The request for connection parameters comes at least 5 s after connecting.",
    why: "A peripheral should leave the central's parameters alone until discovery and pairing are over: "
      + "TGAP(conn_pause_peripheral) is 5 s.",
    source: .core("Vol 3 Part C 9.3.12, Appendix A"),
    bad: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s, after: 1 s } }", at: (3, 66)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s, after: 5 s } }"),
    applies: { $0.profile.connection.parameterRequest != nil }
  ) { subject in
    guard let request = subject.profile.connection.parameterRequest, request.delay < .seconds(5) else { return [] }
    return [
      LintIssue(
        subject.key("connection", "request", "after"),
        "the request comes \(Durations.text(request.delay)) after connecting", remedy: "use 5 s",
        fix: .replacing(subject.value("connection", "request", "after"), by: "5 s"))
    ]
  }

  private static let unansweredRequests = LintRule(
    "unanswered-requests", .error, [.core, .apple, .android],
    title: "The accessory answers the central's requests about the link.",
    why: "Without an answer to its Exchange MTU Request, a central gives up the bearer after 30 s. Without an answer "
      + "to a Link Layer procedure, it ends the link after 40 s. Phones send both right after connecting.",
    source: .core("Vol 3 Part F 3.3.3, Vol 6 Part B 5.2"),
    bad: .init("connection: { mtu-requests: ignore }", at: (3, 15)),
    good: .init("connection: { mtu-requests: refuse }")
  ) { subject in
    var issues: [LintIssue] = []
    let connection = subject.profile.connection
    func report(_ key: String, _ limit: String) {
      issues.append(
        LintIssue(
          subject.key("connection", key), "the central waits for an answer until its time limit, \(limit)",
          remedy: "use accept; to test an app, inject a fault instead",
          fix: .replacing(subject.value("connection", key), by: "accept")))
    }
    switch connection.mtuAnswer {
    case .ignore: report("mtu-requests", "30 s")
    case .late(let delay) where delay >= .seconds(30): report("mtu-requests", "30 s")
    default: break
    }
    if connection.parameterAnswer == .ignore || connection.parameterDelay >= .seconds(40) {
      report("parameter-requests", "40 s")
    }
    return issues
  }

  private static let smallMTU = LintRule(
    "small-mtu", .note, [.apple, .android],
    title: "The MTU is at least 185.",
    why:
      "iPhones have proposed 185 or more since iOS 9; the smaller proposal holds. A larger MTU makes "
      + "discovery, reads and notifications faster, up to 20 % in a stream.",
    source: .talk(2013, 703),
    bad: .init("connection: { mtu: 23 }", at: (3, 15)), good: .init("connection: { mtu: 247 }")
  ) { subject in
    guard subject.profile.connection.mtu < 185 else { return [] }
    return [
      LintIssue(
        subject.key("connection", "mtu"), "the MTU is \(subject.profile.connection.mtu)",
        remedy: "use 517, or what the accessory's memory allows")
    ]
  }

  private static let shortDataLength = LintRule(
    "short-data-length", .note, [.apple],
    title: "The accessory offers Link Layer payloads of 251 octets.",
    why:
      "The data length extension carries four times as much in the same time on the air: Apple measured 135 instead of "
      + "48 kbps. Accessories must support it.",
    source: .talk(2017, 712),
    bad: .init("connection: { data-length: 27 }", at: (3, 15)), good: .init("connection: { data-length: 251 }")
  ) { subject in
    guard subject.profile.connection.dataLength < 251 else { return [] }
    return [
      LintIssue(
        subject.key("connection", "data-length"),
        "the accessory sends at most \(subject.profile.connection.dataLength) octets in a packet", remedy: "use 251")
    ]
  }

  private static let withoutLE2M = LintRule(
    "without-le-2m", .note, [.apple],
    title: "The accessory can use LE 2M.",
    why: "LE 2M halves the time on the air. Phones ask for it by themselves, and accessories must support it.",
    source: .talk(2019, 901),
    bad: .init("connection: { phy: 1M, allowed-phys: [1M] }", at: (3, 24)), good: .init("connection: { phy: 2M }")
  ) { subject in
    guard let allowed = subject.profile.connection.allowedPHYs, !allowed.contains(.le2M) else { return [] }
    return [
      LintIssue(
        subject.key("connection", "allowed-phys"), "the accessory refuses requests for LE 2M",
        remedy: "add 2M to 'allowed-phys'")
    ]
  }
}
