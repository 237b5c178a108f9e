// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Dispatch
import Foundation

/// The peripheral role of an app. No phone here supports it, because profiles are the peripherals: the state is always `unsupported`.
///
/// An app with both roles still compiles, and behaves as on a device without the peripheral role.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
  @WeakLocked private var currentDelegate: (any CBPeripheralManagerDelegate)?

  /// Creates a manager without a delegate.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Creates a manager that calls its delegate on `queue`, or on the main queue if `queue` is nil.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Creates a manager with options.
  public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    super.init(state: .unsupported, app: .ofCaller)
    currentDelegate = delegate
    let queue = queue ?? .main
    let tell: @Sendable () -> Void = { [weak self] in self.map { $0.delegate?.peripheralManagerDidUpdateState($0) } }
    if let app { app.call(on: queue, tell) } else { queue.async(execute: tell) }
  }

  /// The delegate.
  open var delegate: (any CBPeripheralManagerDelegate)? {
    get { currentDelegate }
    set { currentDelegate = newValue }
  }

  /// Whether it advertises: never.
  open var isAdvertising: Bool { false }

  /// Counts as misuse, like the other commands, because the state is never `poweredOn`.
  open func startAdvertising(_ advertisementData: [String: Any]?) { refuse() }
  open func stopAdvertising() { refuse() }
  open func setDesiredConnectionLatency(
    _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
  ) { refuse() }
  open func add(_ service: CBMutableService) { refuse() }
  open func remove(_ service: CBMutableService) { refuse() }
  open func removeAllServices() { refuse() }
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) { refuse() }
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) { refuse() }
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) { refuse() }

  /// Counts as misuse. Returns false, because the value was not sent.
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    refuse()
    return false
  }

  private func refuse() { app?.misuse("\(self) can only accept this command while in the powered on state") }

  open override var description: String { "<CBPeripheralManager: \(app?.name ?? "no phone")>" }
}

/// The latency that an app desires for a connection.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

/// A central that uses an app's services. No phone has one, because none has the peripheral role.
open class CBCentral: CBPeer, @unchecked Sendable {
  /// The maximum number of octets in one notification: 20 with the MTU of a new link.
  open var maximumUpdateValueLength: Int { 20 }
}

/// A central's request to an app's services. No phone has one, because none has the peripheral role.
open class CBATTRequest: NSObject, @unchecked Sendable {
  /// The central.
  public let central: CBCentral
  /// The characteristic.
  public let characteristic: CBCharacteristic
  /// The offset of the first octet to read or write.
  public let offset: Int
  /// The octets to write, or the octets of the answer to a read.
  @Locked private var octets: Data?

  init(from central: CBCentral, to characteristic: CBCharacteristic, offset: Int, value: Data?) {
    (self.central, self.characteristic, self.offset) = (central, characteristic, offset)
    super.init()
    octets = value
  }

  open var value: Data? {
    get { octets }
    set { octets = newValue }
  }
}

/// The delegate of a peripheral manager.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// The manager's state has changed.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}

/// Whether to show an alert if Bluetooth is off when the manager is created: a Bool.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The identifier under which the system preserves the manager's state: a string.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The restored services: an array of `CBMutableService`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// The restored advertising data: a dictionary.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"
