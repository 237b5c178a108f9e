import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost

/// A model of an Apple device and its system: everything that an accessory or an app can observe and that differs between them.
///
/// docs/core-bluetooth.md gives the sources. Where Apple documents nothing, `assumptions` lists the assumptions.
public struct Persona: Sendable, CustomStringConvertible {
  /// The name.
  public var name: String
  /// The longest ATT PDU that it accepts, in octets.
  public var mtu = CentralPersona.iOS.mtu
  /// The longest LE payload that it offers, in octets.
  public var dataLength = CentralPersona.iOS.dataLength
  /// Whether it requests LE 2M on each link.
  public var usesLE2M = true
  /// The connection interval of new links.
  public var connectionInterval = CentralPersona.iOS.intervals.lowerBound
  /// The supervision timeout of new links.
  public var supervisionTimeout = CentralPersona.iOS.timeout
  /// The maximum number of links at the same time.
  public var maximumLinks = 20
  /// The connection parameters that it accepts.
  public var parameterRules = ParameterRules.apple
  /// Whether apps lose their connections when they are suspended.
  public var endsLinksOfSuspendedApps = false
  /// The features that it supports.
  public var features: CBCentralManager.Feature = [.extendedScanAndConnect]
  /// The bit of each service in the overflow area, from 0 to 127, for accessories that imitate a phone's app in the background. Apple does
  /// not document the bits, so there are none initially.
  public var overflowBits: [CBUUID: Int] = [:]
  /// The assumptions for which there is no known source.
  public var assumptions: [String] = Persona.sharedAssumptions

  /// The services that the system hides from apps.
  var hiddenServices: Set<BluetoothUUID> = [
    .genericAccess, .genericAttribute, .humanInterfaceDevice, .appleNotificationCenter, .appleMedia,
  ]
  /// The IO capability for pairing.
  var ioCapability = IOCapability.keyboardDisplay
  /// The MTU and the MPS of its channels.
  var channelParameters = ChannelParameters(mtu: 2048, mps: 1004)
  /// The time of day at instant zero.
  var clock = WallClock(nanosecondsAtZero: 1_767_225_600_000_000_000)

  /// The name.
  public var description: String { name }

  /// An iPhone with a current system.
  public static let iOS = Persona(name: "iPhone")

  /// An iPhone before iOS 10 and LE 2M: an MTU of 185 octets and no extended advertisements.
  public static let olderPhone: Persona = {
    var persona = Persona(name: "older iPhone")
    persona.mtu = CentralPersona.olderIOS.mtu
    persona.usesLE2M = false
    persona.features = []
    persona.parameterRules = .apple2013
    return persona
  }()

  /// A Watch: at most two links, and none while the app is suspended (WWDC 2017 session 712).
  public static let watchOS: Persona = {
    var persona = Persona(name: "Watch")
    persona.maximumLinks = 2
    persona.endsLinksOfSuspendedApps = true
    persona.parameterRules.shortestInterval = .milliseconds(30)
    persona.parameterRules.commonInterval = .milliseconds(30)
    return persona
  }()

  /// An Apple TV, with the limits of a Watch (WWDC 2017 session 712).
  public static let tvOS: Persona = {
    var persona = watchOS
    persona.name = "Apple TV"
    return persona
  }()

  /// A Mac.
  public static let macOS = Persona(name: "Mac")

  private static let sharedAssumptions = [
    "The system discovers all primary services of a device once, and filters them for apps.",
    "didConnect follows the exchange of the MTU.",
    "An app that cancels an attempt to connect gets didDisconnectPeripheral without an error.",
    "Twenty writes without response fit before canSendWriteWithoutResponse is false.",
    "A channel has an MTU of 2,048 and an MPS of 1,004 octets.",
    "The link begins with an interval of 30 ms and a supervision timeout of 720 ms.",
    "An app that does not run gets at most 1,000 callbacks later; the oldest values are dropped.",
    "When Bluetooth goes off, connected peripherals become disconnected without didDisconnectPeripheral.",
  ]

  // MARK: - The host

  /// The PHY that it requests; nil leaves the link as it is.
  var phy: PHY? { usesLE2M ? .le2M : nil }

  var linkParameters: LinkParameters { LinkParameters(interval: connectionInterval, timeout: supervisionTimeout) }

  var connectionPHYs: PHYSet { .le1M }

  /// The reasons why a phone scans.
  enum ScanReason { case foreground, background, connecting }

  /// Returns a scan for this reason. Scans in the background listen less, so they find an accessory later (Accessory Design Guidelines).
  func scan(isActive: Bool, _ reason: ScanReason) -> ScanRequest {
    let (interval, window): (Duration, Duration) =
      switch reason {
      case .foreground: (.milliseconds(40), .milliseconds(30))
      case .background: (.milliseconds(1022), .milliseconds(30))
      case .connecting: (.milliseconds(300), .milliseconds(60))
      }
    return ScanRequest(isActive: isActive, interval: interval, window: window)
  }
}

extension WallClock {
  /// Returns the seconds since the beginning of 2001, UTC, as in `CFAbsoluteTime`.
  func secondsSinceReferenceDate(at now: Instant) -> Double {
    Double(nanosecondsAtZero &+ now.nanoseconds) / 1e9 - 978_307_200
  }
}
