import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import PeripheralHost

extension HostStack<ProfileRuntime> {
  /// Publishes the channels that were published at the end of the earlier run, and no others. `channels` are
  /// the profile's before the call, and all published ones after it. Call this before `start`.
  mutating func restoreChannels(
    _ state: RuntimeState, _ channels: inout [ChannelDefinition], _ report: inout RestoredReport, at now: Instant
  ) {
    // No peer is connected that these changes would have to be sent to.
    var out = HostOutput()
    for id in state.unpublished {
      guard let place = channels.firstIndex(where: { $0.id == id }), let psm = channels[place].publishedPSM else {
        continue
      }
      try? perform(.channel(.unpublish(psm)), at: now, into: &out)
      application.setHandler(nil, of: psm)
      channels.remove(at: place)
    }
    for value in state.published {
      do throws(ProfileValueError) {
        let channel = try ChannelDefinition.load(value)
        try restore(channel, beside: channels, at: now, into: &out)
        channels.append(channel)
        report.channels.append(channel.id)
      } catch {
        report.omissions.append("a channel that was published: \(error.message)")
      }
    }
  }

  private mutating func restore(
    _ channel: ChannelDefinition, beside channels: [ChannelDefinition], at now: Instant, into out: inout HostOutput
  ) throws(ProfileValueError) {
    // The permission to connect it to something outside was given for a run that has ended.
    guard channel.handler.isInside else {
      throw ProfileValueError("\(channel.id) leads to \(channel.handler.text): publish it again")
    }
    guard !channels.contains(where: { $0.id == channel.id }) else {
      throw ProfileValueError("the profile now has a channel \(channel.id)")
    }
    guard let published = channel.published else { throw ProfileValueError("\(channel.id) has no PSM") }
    do throws(HostRequestError) { try perform(.channel(.publish(published)), at: now, into: &out) } catch {
      throw ProfileValueError("\(channel.id): its PSM is now used by another channel")
    }
    application.setHandler(channel.handler, of: published.psm)
    guard let name = channel.psmCharacteristic, let index = server.database.characteristic(named: name)?.index,
      let actions = try? application.set(index, to: .int(Int64(published.psm.rawValue)), at: now)
    else { return }
    try? perform(.perform(actions), at: now, into: &out)
  }
}

extension ChannelDefinition {
  /// The stored form of a channel that was published at run time, from which `load` creates the same channel.
  var keptJSON: ProfileValue {
    guard case .object(var fields) = json else { return .null }
    fields["psm-characteristic"] = psmCharacteristic.map { .string($0) }
    return .object(fields)
  }
}

extension ChannelHandler {
  /// Whether the handler involves nothing outside the accessory.
  fileprivate var isInside: Bool {
    switch self {
    case .echo, .sink, .source, .rules: true
    case .file, .tcp, .unix, .pty: false
    }
  }
}
