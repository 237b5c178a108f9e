import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// The commands for scanning and connecting, of the family that the controller supports.
struct LECommands: Sendable {
  var family = CentralConfiguration.CommandFamily.byController
  private var controller = ControllerProfile()
  private var ownAddressType = OwnAddressType.random

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress) {
    self.controller = controller
    ownAddressType = identity.ownType
  }

  /// Whether the extended commands are used. What the controller reports decides, because each family locks out the other until the next
  /// reset (Core 5.4 Vol 4 Part E 3.1.1).
  private var usesExtended: Bool {
    family == .byController && controller.features.contains(.extendedAdvertising)
      && [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection].allSatisfy(
        controller.commands.contains)
  }

  func parameters(of request: ScanRequest) -> any HCICommand {
    let (interval, window) = (ScanInterval(rounding: request.interval), ScanInterval(rounding: request.window))
    guard usesExtended else {
      return LESetScanParameters {
        $0.scanType = request.type
        $0.interval = interval
        $0.window = window
        $0.ownAddressType = ownAddressType
      }
    }
    var parameters = ScanningPHYParameters()
    parameters.scanType = request.type
    parameters.interval = interval
    parameters.window = window
    return LESetExtendedScanParameters {
      $0.ownAddressType = ownAddressType
      // Primary channels have no LE 2M (Core 5.4 Vol 4 Part E 7.8.64).
      $0.phys = request.phys.intersection([.le1M, .leCoded])
      if $0.phys.isEmpty { $0.phys = .le1M }
      $0.parameters = Array(repeating: parameters, count: $0.phys.parameterCount)
    }
  }

  func scanEnabling(_ isOn: Bool, filtersDuplicates: Bool) -> any HCICommand {
    guard usesExtended else {
      return LESetScanEnable {
        $0.enable = isOn
        $0.filterDuplicates = filtersDuplicates
      }
    }
    return LESetExtendedScanEnable {
      $0.enable = isOn
      $0.filterDuplicates = filtersDuplicates ? 1 : 0
    }
  }

  func creation(of request: ConnectionRequest) -> any HCICommand {
    let parameters = request.parameters
    guard usesExtended else {
      return LECreateConnection {
        $0.scanInterval = Self.initiatingWindow
        $0.scanWindow = Self.initiatingWindow
        $0.peerAddressType = request.peerType
        $0.peerAddress = request.peer
        $0.ownAddressType = ownAddressType
        $0.intervalMinimum = parameters.minimum
        $0.intervalMaximum = parameters.maximum
        $0.maximumLatency = parameters.maximumLatency
        $0.supervisionTimeout = parameters.supervisionTimeout
      }
    }
    var entry = InitiatingPHYParameters()
    entry.scanInterval = Self.initiatingWindow
    entry.scanWindow = Self.initiatingWindow
    entry.intervalMinimum = parameters.minimum
    entry.intervalMaximum = parameters.maximum
    entry.maximumLatency = parameters.maximumLatency
    entry.supervisionTimeout = parameters.supervisionTimeout
    return LEExtendedCreateConnection {
      $0.peerAddressType = request.peerType
      $0.peerAddress = request.peer
      $0.ownAddressType = ownAddressType
      $0.phys = request.phys.isEmpty ? .le1M : request.phys
      $0.parameters = Array(repeating: entry, count: $0.phys.parameterCount)
    }
  }

  /// The scan window, equal to the scan interval, so that the central scans continuously for the advertiser.
  private static var initiatingWindow: ScanInterval { ScanInterval(rawValue: 0x10) }
}
