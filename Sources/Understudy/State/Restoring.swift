import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLELink
import PeripheralHost

/// What an accessory has restored from an earlier run.
public struct RestoredReport: Hashable, Sendable {
  /// The folder of its state.
  public var folder: String
  /// The number of bonds.
  public var bonds = 0
  /// The ids of the services that were added, replaced or removed at run time.
  public var services: [String] = []
  /// The ids of the characteristics whose values were restored.
  public var values: [String] = []
  /// The restored PSMs of its channels, by their ids.
  public var psms: [String: UInt16] = [:]
  /// The ids of the channels that were published at run time and are published again.
  public var channels: [String] = []
  /// The advertising sets that were started or stopped, and whether they are on.
  public var advertising: [String: Bool] = [:]
  /// What could not be restored because the profile has changed, and why.
  public var omissions: [String] = []

  var json: [String: ProfileValue] {
    [
      "folder": .string(folder), "bonds": .int(Int64(bonds)), "services": .array(services.map { .string($0) }),
      "values": .array(values.map { .string($0) }), "psms": .object(psms.mapValues { .int(Int64($0)) }),
      "channels": .array(channels.map { .string($0) }),
      "advertising": .object(advertising.mapValues { .bool($0) }), "omissions": .array(omissions.map { .string($0) }),
    ]
  }
}

extension Profile {
  /// Returns the PSMs of channels for which the other profile leaves the choice to the host, by their ids.
  /// This profile was made from the other.
  func chosenPSMs(beside other: Profile) -> [String: UInt16] {
    var psms: [String: UInt16] = [:]
    for channel in channels {
      guard case .fixed(let psm) = channel.psm,
        other.channels.contains(where: { $0.id == channel.id && $0.psm != channel.psm })
      else { continue }
      psms[channel.id] = psm
    }
    return psms
  }
}

extension StoredIdentity {
  /// Gives a host this identity.
  func apply(to configuration: inout HostConfiguration) {
    if let address { configuration.identity = .fixedStatic(address) }
    configuration.identityResolvingKey = identityResolvingKey
  }
}

extension HostStack<ProfileRuntime> {
  /// Restores the host's state from its previous run. Its channels already have those PSMs.
  mutating func restore(
    _ store: StateStore, psms: [String: UInt16], channels: inout [ChannelDefinition], at now: Instant
  ) -> RestoredReport {
    var report = RestoredReport(folder: store.path, psms: psms)
    // No peer is connected that these changes would have to be sent to.
    var out = HostOutput()
    restore(store.runtime, &report, at: now, into: &out)
    restoreChannels(store.runtime, &channels, &report, at: now)
    bonds = store.bonds
    report.bonds = bonds.count
    return report
  }

  /// Restores services, values and advertising from an earlier run, and adds them to the report. Call this before `start`.
  private mutating func restore(
    _ state: RuntimeState, _ report: inout RestoredReport, at now: Instant, into out: inout HostOutput
  ) {
    restoreServices(state.services, &report, at: now, into: &out)
    for (id, octets) in state.values.sorted(by: { $0.key < $1.key }) {
      guard let record = server.database.characteristics.first(where: { $0.definition.id == id }),
        record.definition.maximumLength >= octets.count,
        !record.definition.hasFixedLength || record.definition.maximumLength == octets.count,
        let actions = application.restore(octets, of: id, at: now)
      else {
        report.omissions.append("the value of \(id): the profile has no persistent characteristic for it")
        continue
      }
      try? perform(.perform(actions), at: now, into: &out)
      report.values.append(id)
    }
    restoreAdvertising(state.advertising)
    report.advertising = state.advertising
  }

  private mutating func restoreServices(
    _ changes: [RuntimeState.ServiceChange], _ report: inout RestoredReport, at now: Instant, into out: inout HostOutput
  ) {
    var left = changes
    var reasons: [String: String] = [:]
    // A service that includes one added later must wait for that one.
    var hasProgressed = true
    while hasProgressed, !left.isEmpty {
      hasProgressed = false
      var waiting: [RuntimeState.ServiceChange] = []
      for change in left {
        do throws(ControlError) {
          try restore(change, at: now, into: &out)
          if !report.services.contains(change.id) { report.services.append(change.id) }
          hasProgressed = true
        } catch {
          waiting.append(change)
          reasons[change.id] = "\(error)"
        }
      }
      left = waiting
    }
    report.omissions += left.map { "the change of the service \($0.id): \(reasons[$0.id] ?? "")" }
  }

  private mutating func restore(
    _ change: RuntimeState.ServiceChange, at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    switch change {
    case .add(_, let json): _ = try addService(json: Array(json.utf8), at: now, into: &out)
    case .replace(let id, let json): try replaceService(id, json: Array(json.utf8), at: now, into: &out)
    case .remove(let id): try removeService(id, at: now, into: &out)
    }
  }
}
