import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import Simulation
import UnderstudyCore

/// A channel that a central opened.
struct OpenedChannel {
  let id: ChannelID
  /// The number of SDUs that `receive` has returned.
  var received = 0
}

/// A central's operations on credit-based channels. A channel's name is its id in the profile.
extension TestCentral {
  /// Opens a channel.
  public func open(_ channel: String) throws {
    let (link, accessory) = try connected()
    guard let psm = accessory.profile.psms[channel] else {
      let names = accessory.profile.psms.keys.sorted().joined(separator: ", ")
      let choice = names.isEmpty ? "its profile has none" : "choose one of \(names)"
      throw failure("\(accessory.name) has no channel \(channel): \(choice)")
    }
    let opened = try act("\(channel) was not opened") { try host.openChannel(psm, on: link) }
    channels[channel] = OpenedChannel(id: opened.id)
  }

  /// Sends an SDU as soon as the channel has room for it.
  public func send(_ sdu: [UInt8], on channel: String) throws {
    let (link, _) = try connected()
    let id = try opened(channel).id
    try act("\(channel) accepts no SDU") { try host.sendSDU(sdu, on: id, of: link) }
  }

  /// Waits for the next SDU on a channel, and returns it.
  public func receive(on channel: String, within limit: Duration = .seconds(10)) throws -> [UInt8] {
    let (link, _) = try connected()
    let (id, place) = (try opened(channel).id, try opened(channel).received)
    guard air.advance(until: { host.sdus(on: id, of: link).count > place }, within: limit) else {
      throw failure("\(name) had no SDU on \(channel) within \(limit)")
    }
    channels[channel]?.received += 1
    return host.sdus(on: id, of: link)[place]
  }

  /// Closes a channel, and waits until it is closed.
  public func close(_ channel: String) throws {
    let (link, _) = try connected()
    let id = try opened(channel).id
    try act("\(channel) does not close") { try host.closeChannel(id, of: link) }
    channels[channel] = nil
  }

  private func opened(_ channel: String) throws -> OpenedChannel {
    guard let opened = channels[channel] else {
      throw failure("\(name) has not opened the channel \(channel): open it first")
    }
    return opened
  }
}
