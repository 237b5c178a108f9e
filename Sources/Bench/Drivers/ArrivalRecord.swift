import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Crypto
import BLELink
import PeripheralHost

/// What an accessory has received, from its host's events: the written values, and its channel.
struct ArrivalRecord: Sendable {
  /// The channel that was opened last.
  private(set) var channel: (link: ConnectionHandle, id: ChannelID)?
  private var octets = 0
  private var hash = SHA256()

  mutating func take(_ event: HostEvent) {
    switch event {
    case .server(_, .written(_, let value)):
      octets += value.count
      hash.update(data: value)
    case .channel(let link, .opened(let status)): channel = (link, status.id)
    default: break
    }
  }

  /// What has been written so far.
  var written: Arrival { Arrival(octets: octets, sha256: Array(hash.finalize())) }
}

extension Arrival {
  /// Creates the arrival for a sink that computes a hash; nil without a sink or a hash.
  init?(_ sink: ChannelSink?) {
    guard let sink, let sha256 = sink.sha256 else { return nil }
    self.init(octets: sink.octets, sha256: sha256)
  }

  /// Creates the arrival for a payload that arrives completely.
  init(sending payload: [UInt8]) { self.init(octets: payload.count, sha256: Array(SHA256.hash(data: payload))) }
}
