import AccessoryProfile
import BLECore
import BLEGATT
import Dispatch
import Foundation

/// A callback that an app is to get.
struct Delivery {
  let app: PhoneApp
  let target: CallbackTarget
  /// Whether it only brings a value, which a later one replaces.
  var isValue = false
  let body: @Sendable () -> Void

  /// Whether it is performed now. A suspended app gets it when it runs again.
  var isDue: Bool { app.phase != .suspended }
}

/// A central manager as the system knows it.
final class ManagerRecord {
  let id: ManagerID
  let app: PhoneApp
  let queue: DispatchQueue
  weak var manager: CBCentralManager?
  let restoreIdentifier: String?
  var scan: AppScan?
  /// The data with which each device was last reported in this scan.
  var reported: [UUID: AdvertisedData] = [:]
  /// How often each device was heard in this scan.
  var heard: [UUID: Int] = [:]
  var events: AppConnectionEvents?
  /// Whether its app was ended by the system, which keeps what it wanted.
  var isPreserved = false
  /// The services that the app had discovered, by device.
  var discovered: [UUID: [RemoteService]] = [:]
  /// The callbacks that came meanwhile.
  var held: [HeldCallback] = []

  init(_ manager: CBCentralManager, of app: PhoneApp) {
    id = manager.id
    queue = manager.queue
    restoreIdentifier = manager.restoreIdentifier
    self.app = app
    self.manager = manager
  }
}

/// A callback for the next launch of an app.
struct HeldCallback {
  let isValue: Bool
  let body: @Sendable (CBCentralManager) -> Void
}

/// The way from the system to apps.
extension PhoneSystem {
  /// The number of callbacks that wait for an app that does not run. After that, the oldest value is dropped for each new callback.
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

  /// Queues a callback of a peripheral, if the app still has the object when it is due.
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

  /// Performs the callbacks that are due; returns whether there were any.
  func performDeliveries() -> Bool {
    let due = deliveries.filter(\.isDue)
    guard !due.isEmpty else { return false }
    deliveries.removeAll(where: \.isDue)
    callbacks += due.count
    for delivery in due where delivery.app.phase != .terminated { call(delivery) }
    return true
  }

  /// Drops what an app that has ended would have got.
  func dropDeliveries(of app: PhoneApp) { deliveries.removeAll { $0.app === app } }
}

extension ManagerRecord {
  /// Whether what it wants is done: by the app's wish, or for the app's next launch.
  var isAlive: Bool { isPreserved || (manager != nil && app.phase != .terminated) }
}
