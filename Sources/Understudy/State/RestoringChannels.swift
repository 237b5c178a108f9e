import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import PeripheralHost

extension HostStack<ProfileRuntime> {
  /// Publishes the channels that were published in an earlier run, and no others. `channels` are those of the profile, and then all. To be
  /// called before `start`.
  mutating func restoreChannels(
    _ state: RuntimeState, _ channels: inout [ChannelDefinition], _ report: inout RestoredReport, at now: Instant
  ) {
    // Nobody is connected yet who would have to hear of it.
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
    // Whether it may lead there was decided for a run that is over.
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
  /// What is kept of a channel that was published while the accessory ran: what `load` makes the same of.
  var keptJSON: ProfileValue {
    guard case .object(var fields) = json else { return .null }
    fields["psm-characteristic"] = psmCharacteristic.map { .string($0) }
    return .object(fields)
  }
}

extension ChannelHandler {
  /// Whether nothing outside of the accessory has to do with it.
  fileprivate var isInside: Bool {
    switch self {
    case .echo, .sink, .source, .rules: true
    case .file, .tcp, .unix, .pty: false
    }
  }
}
