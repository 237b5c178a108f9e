import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  /// How many PDUs may wait on a link before it gets no further messages: the application keeps them until there is room, so
  /// that none is left out however long an answer is.
  static var messageBacklog: Int { 4 }

  /// Sends what the application has for single clients, as far as their links have room and they know the database. All goes over
  /// the fixed channel, because it belongs together and has an order. While an indication is not confirmed nothing more is taken: of
  /// the indications of one characteristic that wait only the last would be sent.
  mutating func sendMessages(at now: Instant, into out: inout HostOutput) {
    for index in links.indices where !links[index].session.isOutOfSync {
      let handle = links[index].handle
      while scheduler.queuedPDUs(handle) < Self.messageBacklog, links[index].bearers[0].att.canIndicate,
        !links[index].session.hasWaitingIndications,
        let message = application.nextMessage(
          for: handle.client, limit: links[index].bearers[0].att.mtu - 3, at: now)
      {
        send(message, to: index, at: now, into: &out)
      }
    }
  }

  private mutating func send(_ message: ClientMessage, to index: Int, at now: Instant, into out: inout HostOutput) {
    let handle = links[index].handle
    guard server.database.valuePosition(of: message.characteristic) != nil else { return }
    guard !message.isIndication else {
      let indication = links[index].indication(
        of: message.characteristic, value: message.value, server, over: 0, at: now)
      if let indication { send(indication, to: index, over: 0, at: now, into: &out) }
      return
    }
    var isSent = false
    scheduler.sendATT(push(of: message.characteristic), over: .fixed, of: handle, through: &faults, at: now, into: &out)
    {
      buffer in
      isSent = links[index].notify(message.characteristic, message.value, &server, over: 0, into: &buffer)
    }
    if isSent, reportsAccess { out.events.append(.notified(handle, message.characteristic, message.value)) }
  }

  /// Tells the application that a client has confirmed an indication of one of its characteristics.
  mutating func confirmed(_ attribute: UInt16, by handle: ConnectionHandle, at now: Instant) {
    guard let position = server.database.position(of: attribute),
      let characteristic = server.database.attributes[position].characteristic,
      server.database[characteristic].belongsToApplication
    else { return }
    application.confirmed(characteristic, by: handle.client, at: now)
  }
}
