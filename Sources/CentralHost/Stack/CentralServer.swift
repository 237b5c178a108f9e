import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What this side's server sends by itself (Core 5.4 Vol 3 Part G 4.10, 4.11).
extension CentralStack {
  /// Gives a characteristic a value, and notifies or indicates it to the peripherals that have configured that.
  mutating func setValue(
    _ value: [UInt8], of characteristic: CharacteristicIndex, at now: Instant, into out: inout CentralOutput
  ) {
    server.store(value, of: characteristic)
    for index in links.indices {
      let wanted = links[index].session.configuration(of: characteristic)
      let handle = links[index].handle
      if wanted.contains(.notification) {
        scheduler.sendFrame(
          onChannel: ChannelID.attributeProtocol.rawValue, of: handle, into: &out.octets
        ) { buffer in
          server.notification(
            of: characteristic, value: value, on: links[index].bearer, to: links[index].session, into: &buffer)
        }
      }
      if wanted.contains(.indication),
        let indication = links[index].indication(of: characteristic, value: value, server, at: now)
      {
        send(indication, to: handle, into: &out)
      }
    }
  }

  mutating func send(
    _ indication: HandleValueIndication, to handle: ConnectionHandle, into out: inout CentralOutput
  ) {
    scheduler.sendFrame(onChannel: ChannelID.attributeProtocol.rawValue, of: handle, into: &out.octets) { buffer in
      indication.encodePDU(into: &buffer)
    }
  }
}
