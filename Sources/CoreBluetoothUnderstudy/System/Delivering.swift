import AccessoryProfile
import Foundation

/// A callback that waits for its app.
struct Delivery {
  let app: PhoneApp
  let target: CallbackTarget
  /// Whether it only brings a value. A full backlog drops the oldest of these.
  var isValue = false
  let body: @Sendable () -> Void

  /// Whether the app gets it now. A suspended app gets it when it runs again.
  var isDue: Bool { app.phase != .suspended }
}

/// Callbacks from the system to apps.
extension PhoneSystem {
  /// The number of callbacks that may wait for an app that does not run. Beyond that, each new callback drops the oldest value.
  static let backlogLimit = 1000

  func record(_ id: ManagerID) -> ManagerRecord? { managers.first { $0.id == id } }

  /// Queues a callback of a manager.
  func deliver(
    to record: ManagerRecord, _ event: String, _ fields: [String: ProfileValue] = [:],
    _ body: @escaping @Sendable (CBCentralManager) -> Void
  ) {
    var fields = fields
    fields["event"] = .string(event)
    fields["app"] = .string(record.app.name)
    journal(.object(fields))
    let isValue = event == "didUpdateValue"
    if record.isPreserved {
      record.held.append(HeldCallback(isValue: isValue, body: body))
      if record.held.count > Self.backlogLimit, let oldest = record.held.firstIndex(where: \.isValue) {
        record.held.remove(at: oldest)
      }
      return wake(record.app)
    }
    guard record.app.phase != .terminated else { return }
    deliveries.append(
      Delivery(app: record.app, target: .queue(record.queue), isValue: isValue) { [weak manager = record.manager] in
        if let manager { body(manager) }
      })
    if record.app.phase == .suspended { limitBacklog(of: record.app) }
  }

  private func limitBacklog(of app: PhoneApp) {
    guard deliveries.count(where: { $0.app === app }) > Self.backlogLimit,
      let oldest = deliveries.firstIndex(where: { $0.app === app && $0.isValue })
    else { return }
    deliveries.remove(at: oldest)
  }

  /// Queues a callback of a peripheral. It does nothing if the app no longer has the object by then.
  func deliver(
    _ peer: AppPeer, _ event: String, _ fields: [String: ProfileValue] = [:],
    _ body: @escaping @Sendable (CBPeripheral) -> Void
  ) {
    guard let record = record(peer.manager) else { return }
    let name = device(peer.device)?.name ?? peer.device.uuidString
    deliver(to: record, event, fields.merging(["peripheral": .string(name)]) { $1 }) { manager in
      if let peripheral = manager.existing(peer.device) { body(peripheral) }
    }
  }

  /// Performs the callbacks that are due. Returns whether there were any.
  func performDeliveries() -> Bool {
    let due = deliveries.filter(\.isDue)
    guard !due.isEmpty else { return false }
    deliveries.removeAll(where: \.isDue)
    callbacks += due.count
    for delivery in due where delivery.app.phase != .terminated { call(delivery) }
    return true
  }

  /// Drops the callbacks of an app that has ended.
  func dropDeliveries(of app: PhoneApp) { deliveries.removeAll { $0.app === app } }
}
