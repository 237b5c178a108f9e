import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLELink
import PeripheralHost

/// What an accessory has again from an earlier run.
public struct RestoredReport: Hashable, Sendable {
  /// Where it keeps its state.
  public var folder: String
  /// How many bonds it has.
  public var bonds = 0
  /// The ids of services that came, changed or went while it ran.
  public var services: [String] = []
  /// The ids of the characteristics whose values it has again.
  public var values: [String] = []
  /// The PSMs that its channels have again, by their ids.
  public var psms: [String: UInt16] = [:]
  /// The ids of the channels that were published while it ran and are so again.
  public var channels: [String] = []
  /// The advertising sets that were switched, and whether they are on.
  public var advertising: [String: Bool] = [:]
  /// What could not be restored, because the profile has changed; and why.
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
  /// The PSMs of channels for which the other profile, of which this one was made, leaves the choice to the host, by their ids.
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
  /// Makes a host be who this is.
  func apply(to configuration: inout HostConfiguration) {
    if let address { configuration.identity = .fixedStatic(address) }
    configuration.identityResolvingKey = identityResolvingKey
  }
}

extension HostStack<ProfileRuntime> {
  /// Makes the host as it was when it last ran; its channels have those PSMs already.
  mutating func restore(
    _ store: StateStore, psms: [String: UInt16], channels: inout [ChannelDefinition], at now: Instant
  ) -> RestoredReport {
    var report = RestoredReport(folder: store.path, psms: psms)
    // Nobody is connected yet who would have to hear of it.
    var out = HostOutput()
    restore(store.runtime, &report, at: now, into: &out)
    restoreChannels(store.runtime, &channels, &report, at: now)
    bonds = store.bonds
    report.bonds = bonds.count
    return report
  }

  /// Makes services, values and advertising as they were in an earlier run, and tells of it in the report. To be called before
  /// `start`.
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
    // A service that includes one that came later waits for that one.
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
