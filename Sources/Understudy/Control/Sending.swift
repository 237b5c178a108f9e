import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Transport

/// The outcome of a requested notification or indication.
public struct SendingReport: Hashable, Sendable {
  /// The number of subscribers that it was sent to.
  public var sent = 0
  /// The number of subscribers for which it waits until they confirm the previous indication.
  public var queued = 0
  /// The number of subscribers that do not get it, because their links are full or they must first discover the services again.
  public var dropped = 0
}

extension Accessory {
  /// Notifies or indicates a characteristic to all subscribers, or to the one on `connection`, after setting
  /// `value` if there is one. If nobody is subscribed, throws and changes nothing.
  public func send(
    _ name: String, indicating isIndication: Bool, value: ProfileValue? = nil, on connection: ConnectionHandle? = nil
  ) throws(ControlError) -> SendingReport {
    let index = try characteristic(named: name)
    try checkSubscriber(of: index, isIndication ? .indication : .notification, on: connection)
    let now = loop.now()
    defer { flush(at: now) }
    if let value {
      // The value is sent once, even if every change of it would be sent.
      let stores = try actions(setting: index, to: value, of: name).filter {
        if case .store = $0 { true } else { false }
      }
      do throws(HostRequestError) {
        try stack.perform(.perform(stores), at: now, into: &out)
      } catch {
        throw .refused(error)
      }
    }
    let first = out.events.count
    let reportsAccess = stack.reportsAccess
    stack.reportsAccess = true
    let subscribers =
      isIndication
      ? stack.indicate(index, on: connection, at: now, into: &out)
      : stack.notify(index, on: connection, at: now, into: &out)
    stack.reportsAccess = reportsAccess
    var report = SendingReport()
    for event in out.events[first...] {
      switch event {
      case .notified, .indicated: report.sent += 1
      case .notificationDropped: report.dropped += 1
      default: break
      }
    }
    report.queued = isIndication ? subscribers - report.sent - report.dropped : 0
    if !reportsAccess { out.events.removeAll { $0.isAccess } }
    do throws(HostRequestError) {
      try stack.perform(.perform([]), at: now, into: &out)
    } catch {
      throw .refused(error)
    }
    return report
  }

  private func checkSubscriber(
    of index: CharacteristicIndex, _ kind: ClientConfiguration, on connection: ConnectionHandle?
  ) throws(ControlError) {
    let links = stack.linkStates.filter { connection ?? $0.handle == $0.handle }
    if let connection, links.isEmpty { throw .refused(.unknownConnection(connection)) }
    let subscriptions = links.flatMap(\.subscriptions)
    guard subscriptions.contains(where: { $0.characteristic == index && $0.configuration.contains(kind) }) else {
      throw .refused(.noSubscriber(index))
    }
  }
}

extension HostEvent {
  /// Whether the event reports a single notification or indication.
  fileprivate var isAccess: Bool {
    switch self {
    case .notified, .indicated: true
    default: false
    }
  }
}
