import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Crypto
import BLELink
import PeripheralHost

/// What comes in at an accessory, told by its host's events: what is written, and where its channel is.
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
  /// What a channel's sink has taken, which computes a hash; nil for no sink.
  init?(_ sink: ChannelSink?) {
    guard let sink, let sha256 = sink.sha256 else { return nil }
    self.init(octets: sink.octets, sha256: sha256)
  }

  /// What arrives when everything does.
  init(sending payload: [UInt8]) { self.init(octets: payload.count, sha256: Array(SHA256.hash(data: payload))) }
}
