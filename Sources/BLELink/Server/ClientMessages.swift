import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  /// The backlog of PDUs at which a link gets no further messages: the application keeps them until there is room, so none is
  /// dropped, however long an answer is.
  static var messageBacklog: Int { 4 }

  /// Sends the application's messages to individual clients, as far as their links have room and the clients are aware of the current
  /// database. All messages use the fixed channel, to keep their order. While an indication is unconfirmed, no further message is sent:
  /// of several waiting indications of a characteristic, only the last would be sent.
  mutating func sendMessages(into out: inout HostOutput) {
    for link in links.ids where !links[link].session.isOutOfSync {
      let handle = links[link].handle
      while scheduler.queuedPDUs(handle) < Self.messageBacklog, links[link].bearers.fixed.att.canIndicate,
        !links[link].session.hasWaitingIndications,
        let message = application.nextMessage(
          for: handle.client, limit: links[link].bearers.fixed.att.mtu - 3, at: out.now)
      {
        send(message, to: link, into: &out)
      }
    }
  }

  private mutating func send(_ message: ClientMessage, to link: LinkID, into out: inout HostOutput) {
    let now = out.now
    let handle = links[link].handle
    guard server.database.valuePosition(of: message.characteristic) != nil else { return }
    guard !message.isIndication else {
      let indication = links[link].indication(
        of: message.characteristic, value: message.value, server, over: .fixed, at: now)
      if let indication { send(indication, to: link, over: .fixed, into: &out) }
      return
    }
    var isSent = false
    scheduler.sendATT(push(of: message.characteristic), over: .fixed, of: handle, through: &faults, into: &out) {
      buffer in
      isSent = links[link].notify(message.characteristic, message.value, &server, over: .fixed, into: &buffer)
    }
    if isSent, reportsAccess { out.events.append(.notified(handle, message.characteristic, message.value)) }
  }

  /// Informs the application that a client has confirmed an indication of one of its characteristics.
  mutating func confirmed(_ attribute: UInt16, by handle: ConnectionHandle, at now: Instant) {
    guard let position = server.database.position(of: attribute),
      let characteristic = server.database.attributes[position].characteristic,
      server.database[characteristic].belongsToApplication
    else { return }
    application.confirmed(characteristic, by: handle.client, at: now)
  }
}
