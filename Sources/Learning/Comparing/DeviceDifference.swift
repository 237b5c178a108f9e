import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP

/// A difference between two devices, as a central sees them.
package struct DeviceDifference: Hashable, Sendable {
  /// What differs, such as an attribute or a setting.
  package var what: String
  /// What the reference has.
  package var reference: String
  /// What the other device has.
  package var other: String
  /// Why it matters to apps; nil if it does not.
  package var consequence: String?

  /// Creates a difference.
  package init(what: String, reference: String, other: String, consequence: String?) {
    (self.what, self.reference, self.other, self.consequence) = (what, reference, other, consequence)
  }

  /// One line for people.
  package var text: String {
    "\(what): \(other) instead of \(reference)" + (consequence.map { " (\($0))" } ?? "")
  }
}

extension ObservedDevice {
  /// Returns the differences from a reference device. `references` are several readings of that device: whatever varies between them is left
  /// out, and so are values that change by themselves. Measured times are equal within a tolerance.
  package func differences(from references: [ObservedDevice]) -> [DeviceDifference] {
    guard let reference = references.first else { return [] }
    let varying = Set(references.dropFirst().flatMap { $0.differences(from: reference) }.map(\.what))
    return differences(from: reference).filter { !varying.contains($0.what) }
  }

  private func differences(from reference: ObservedDevice) -> [DeviceDifference] {
    var comparison = DeviceComparison(reference: reference, other: self)
    comparison.compare()
    return comparison.found
  }
}

/// Compares two observed devices.
private struct DeviceComparison {
  let reference: ObservedDevice
  let other: ObservedDevice
  var found: [DeviceDifference] = []

  init(reference: ObservedDevice, other: ObservedDevice) { (self.reference, self.other) = (reference, other) }

  mutating func compare() {
    compareAdvertising()
    compareServers()
    compareLinks()
  }

  private mutating func note(_ what: String, _ one: String, _ two: String, _ consequence: String? = nil) {
    guard one != two else { return }
    found.append(DeviceDifference(what: what, reference: one, other: two, consequence: consequence))
  }

  // MARK: Advertising

  private mutating func compareAdvertising() {
    note("name", reference.name ?? "none", other.name ?? "none", "apps look for it by its name")
    for set in reference.sets {
      let what = set.key.isLegacy ? "legacy advertising" : "extended advertising, set \(set.key.setID)"
      guard let same = other.sets.first(where: { $0.key.isLegacy == set.key.isLegacy && $0.isLike(set) }) else {
        note(what, "on the air", "missing", "centrals that scan for it do not find it")
        continue
      }
      note(what, set.kind.words, same.kind.words, "centrals can connect to only one of the two")
      compareData(what, set.data, same.data)
      compareData("\(what), scan response", set.responses, same.responses)
      if let one = set.phases.first?.interval, let two = same.phases.first?.interval, !one.isClose(to: two) {
        note("\(what), interval", one.milliseconds, two.milliseconds, "scanning finds it faster or more slowly")
      }
    }
    for set in other.sets {
      let isKnown = reference.sets.contains { $0.key.isLegacy == set.key.isLegacy && $0.isLike(set) }
      guard !isKnown else { continue }
      let what = set.key.isLegacy ? "legacy advertising" : "extended advertising, set \(set.key.setID)"
      note(what, "missing", "on the air", "centrals see it twice")
    }
  }

  /// Data that changes is not compared.
  private mutating func compareData(_ what: String, _ one: [[UInt8]], _ two: [[UInt8]]) {
    guard one.count <= 1, two.count <= 1 else { return }
    note(
      "\(what), data", one.first?.hexadecimal ?? "none", two.first?.hexadecimal ?? "none",
      "apps filter by what is advertised")
  }

  // MARK: The server

  private mutating func compareServers() {
    let (one, two) = (reference.server, other.server)
    for handle in Set(one.services.keys).union(two.services.keys).sorted() {
      note(
        "service at \(handle.hexadecimalText)", one.services[handle]?.uuid.profileName ?? "none",
        two.services[handle]?.uuid.profileName ?? "none", "a cached database is wrong, or a service is missing")
    }
    for handle in Set(one.declarations.keys).union(two.declarations.keys).sorted() {
      note(
        "characteristic at \(handle.hexadecimalText)", one.declarations[handle]?.words ?? "none",
        two.declarations[handle]?.words ?? "none", "apps use it differently, or miss it")
    }
    for (handle, declaration) in one.declarations.sorted(by: { $0.key < $1.key }) {
      guard two.declarations[handle] == declaration else { continue }
      compareValues(of: declaration.value, declaration.uuid.profileName)
    }
  }

  private mutating func compareValues(of handle: UInt16, _ name: String) {
    let (one, two) = (reference.server, other.server)
    note("reading \(name)", one.refusal(of: handle), two.refusal(of: handle), "apps pair, or show an error")
    if let one = one.constant(of: handle), let two = two.constant(of: handle) {
      note("value of \(name)", "hex:\(one.hexadecimal)", "hex:\(two.hexadecimal)", "apps show another value")
    }
    switch (one.rhythm(of: handle), two.rhythm(of: handle)) {
    case (nil, nil): break
    case (let one?, nil): note("\(name) is sent", "every \(one.milliseconds)", "never", "apps wait for it")
    case (nil, let two?): note("\(name) is sent", "never", "every \(two.milliseconds)")
    case (let one?, let two?):
      guard !one.isClose(to: two) else { return }
      note("\(name) is sent", "every \(one.milliseconds)", "every \(two.milliseconds)", "apps get it at another rate")
    }
  }

  // MARK: The link

  private mutating func compareLinks() {
    note("MTU", reference.mtu.words, other.mtu.words, "long values need more packets, or do not fit")
    note(
      "requested parameters", reference.parameters.words, other.parameters.words,
      "the link is slower, or costs more power")
    note("pairing", reference.pairing.words, other.pairing.words, "the user gets other prompts")
    let sent = { (request: Duration?) in request == nil ? "none" : "sent" }
    note(
      "a Security Request", sent(reference.securityRequest), sent(other.securityRequest),
      "phones offer to pair at once, or only later")
  }
}

extension ObservedSet {
  /// Whether a set of another device has the same purpose: the same identifier, or the same data.
  fileprivate func isLike(_ other: ObservedSet) -> Bool {
    guard key.isLegacy else { return key.setID == other.key.setID || data == other.data }
    return kind.contains(.connectable) == other.kind.contains(.connectable)
  }
}

extension ObservedServer.Declaration {
  fileprivate var words: String { "\(uuid.profileName) (properties 0x\(String(properties.rawValue, radix: 16)))" }
}

extension ObservedServer {
  /// The error of the first refused read.
  fileprivate func refusal(of handle: UInt16) -> String {
    refusals[handle]?.first { !$0.isWrite }.map { "\($0.error)" } ?? "succeeds"
  }

  /// The value, if every read has returned the same.
  fileprivate func constant(of handle: UInt16) -> [UInt8]? {
    let values = Set((samples[handle] ?? []).filter { $0.origin == .read }.map(\.value))
    return values.count == 1 ? values.first : nil
  }

  /// The median time between sent values; nil for fewer than four values.
  fileprivate func rhythm(of handle: UInt16) -> Duration? {
    let times = (samples[handle] ?? []).filter { $0.origin != .read }.map(\.time)
    guard times.count >= 4 else { return nil }
    let gaps = zip(times.dropFirst(), times).map { $0 &- $1 }.sorted()
    return .nanoseconds(gaps[gaps.count / 2])
  }
}

extension Duration {
  /// Whether two measured times agree within a tenth plus a connection interval.
  fileprivate func isClose(to other: Duration) -> Bool {
    let distance = self > other ? self - other : other - self
    return distance <= max(self, other) / 10 + .milliseconds(30)
  }

  fileprivate var milliseconds: String { "\(Int(self / .milliseconds(1))) ms" }
}

extension Int? {
  fileprivate var words: String { map { "\($0) octets" } ?? "not asked" }
}

extension ObservedParameters? {
  fileprivate var words: String {
    map { "\($0.shortest) to \($0.longest) × 1.25 ms, latency \($0.latency), timeout \($0.timeout) × 10 ms" } ?? "none"
  }
}

extension PairingFeatures? {
  fileprivate var words: String {
    map { "IO capability \($0.ioCapability), requirements 0x\(String($0.requirements.rawValue, radix: 16))" }
      ?? "not seen"
  }
}

extension ExtendedReportType {
  fileprivate var words: String { contains(.connectable) ? "connectable" : "not connectable" }
}
