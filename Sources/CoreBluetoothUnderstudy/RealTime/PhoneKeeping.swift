#if os(Linux)
  import BLECore
  import BLECryptography
  import BLEHCI
  import BLELink
  import Foundation
  import Understudy

  /// The state that a phone keeps when its program ends.
  extension PhoneSystem {
    /// The maximum number of devices without a bond that the phone keeps.
    private static let keptDevices = 256

    /// The state to keep now: the identity, the bonds, and the devices that apps may ask for by their identifiers. It omits devices without
    /// a bond whose addresses change, because the phone could not find them again.
    var kept: CentralState {
      var state = CentralState(identity: identity, identityResolvingKey: resolvingKey.octets)
      state.bonds = bonds
      let known = devices.filter { $0.identity != nil || ($0.deviceName != nil && $0.hasLastingAddress) }
      let bonded = known.filter { $0.identity != nil }
      let others = known.filter { $0.identity == nil }.suffix(Self.keptDevices)
      state.devices = (bonded + others).map { device in
        let address = TypedAddress(address: device.address, type: device.addressType)
        var kept = CentralState.Device(
          identifier: device.identifier.uuidString, address: device.identity ?? address, name: device.deviceName)
        kept.showsNotifications = device.sharesNotifications
        return kept
      }
      return state
    }

    /// Restores the kept state. Call it before Bluetooth is switched on.
    func restore(_ state: CentralState) {
      bonds = state.bonds
      let peers = Set(bonds.map(\.peer))
      devices = state.devices.compactMap { kept -> Device? in
        guard let identifier = UUID(uuidString: kept.identifier) else { return nil }
        let device = Device(
          identifier: identifier, address: kept.address.address, type: kept.address.type)
        device.deviceName = kept.name
        device.sharesNotifications = kept.showsNotifications
        device.identity = peers.contains(kept.address) ? kept.address : nil
        return device
      }
      shareDevices()
    }
  }

  /// An error of the folder for a phone's state.
  public struct PhoneStateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the folder.
    public var path: String
    /// What is wrong, and what to do about it.
    public var reason: String

    /// The folder, what is wrong, and what to do about it.
    public var description: String { "cannot keep the phone's state in \(path): \(reason)" }
  }

  extension CentralStore {
    /// Opens and locks the folder of a phone.
    convenience init(keepingPhoneIn path: String) throws(PhoneStateFailure) {
      do throws(StateFailure) { try self.init(opening: path) } catch {
        let reason =
          switch error {
          case .inUse(_, let process):
            "another phone uses it\(process.map { " (process \($0))" } ?? ""): close that one, or name another folder"
          case .unusable(_, let reason), .unwritable(_, let reason): "\(reason): name another folder"
          }
        throw PhoneStateFailure(path: path, reason: reason)
      }
    }
  }

  /// Writes a phone's state to the disk, on a queue of its own so that the phone's loop does not wait.
  final class PhoneKeeper: Sendable {
    private let store: CentralStore
    private let queue = DispatchQueue(label: "understudy.phone.state")
    private let report: @Sendable (String) -> Void

    init(_ store: CentralStore, report: @escaping @Sendable (String) -> Void) {
      (self.store, self.report) = (store, report)
    }

    /// Queues the state for writing.
    func save(_ state: CentralState) {
      queue.async { [self] in
        do throws(StateFailure) { try store.save(state) } catch { report("\(error)") }
      }
    }

    /// Waits until everything is on the disk.
    func finish() { queue.sync {} }
  }
#endif
