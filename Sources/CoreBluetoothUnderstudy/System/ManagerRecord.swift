import BLEGATT
import Dispatch
import Foundation

/// A central manager as the system knows it.
final class ManagerRecord {
  let id: ManagerID
  let app: PhoneApp
  let queue: DispatchQueue
  weak var manager: CBCentralManager?
  let restoreIdentifier: String?
  var scan: AppScan?
  /// The data of the last report about each device in this scan.
  var reported: [UUID: AdvertisedData] = [:]
  /// The number of times that each device was heard in this scan.
  var heard: [UUID: Int] = [:]
  var events: AppConnectionEvents?
  /// Whether the system has ended its app, and keeps its scan and connections.
  var isPreserved = false
  /// The services that the app had discovered before it was ended, by device.
  var discovered: [UUID: [RemoteService]] = [:]
  /// The callbacks since the app was ended.
  var held: [HeldCallback] = []

  init(_ manager: CBCentralManager, of app: PhoneApp) {
    id = manager.id
    queue = manager.queue
    restoreIdentifier = manager.restoreIdentifier
    self.app = app
    self.manager = manager
  }

  /// Whether the system scans and connects for it: its app runs, or it is preserved for the app's next launch.
  var isAlive: Bool { isPreserved || (manager != nil && app.phase != .terminated) }
}

/// A callback for the next launch of an app.
struct HeldCallback {
  let isValue: Bool
  let body: @Sendable (CBCentralManager) -> Void
}
