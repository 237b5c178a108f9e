import BLECore

/// What the centrals of a maker do, as far as an accessory can tell: how they connect, what they do before any app asks, and what they accept.
package struct CentralPersona: Hashable, Sendable {
  /// What a central does by itself on a new link, in this order.
  package enum Opening: String, Hashable, Sendable {
    /// Exchanges the MTU.
    case exchangeMTU = "exchanges the MTU"
    /// Reads Server Supported Features by its UUID (Core 5.4 Vol 3 Part G 7.4).
    case readServerFeatures = "reads Server Supported Features"
    /// Reads the Database Hash by its UUID (Core 5.4 Vol 3 Part G 7.3).
    case readDatabaseHash = "reads the Database Hash"
  }

  /// When a central discovers the services of a device.
  package enum Discovery: String, Hashable, Sendable {
    /// On each new link, and when the device tells that they changed.
    case byItself = "by itself"
    /// When an app asks for them.
    case onRequest = "when an app asks"
  }

  /// The order in which a central discovers.
  package enum DiscoveryOrder: String, Hashable, Sendable {
    /// The primary services, then the contents of one after the other.
    case byService = "service by service"
    /// One kind of attribute after the other over all services, secondary ones included.
    case byKind = "kind by kind"
  }

  /// Which databases a central uses again on a later link, without discovering.
  package enum Caching: String, Hashable, Sendable {
    /// That of a device whose Database Hash is the same (Core 5.4 Vol 3 Part G 7.3).
    case whileHashIsSame = "while the Database Hash is the same"
    /// The same; without a hash, that of a device whose primary services are the same.
    case whileHashOrServicesAreSame = "while the Database Hash is the same, or without one the list of services"
    /// That of a bonded device.
    case ofBondedDevices = "of a bonded device"
    /// That of a bonded device, or of one without Service Changed.
    case ofBondedOrFixedDevices = "of a bonded device, or of one without Service Changed"

    /// Whether it needs the Database Hash.
    package var asksForHash: Bool { self == .whileHashIsSame || self == .whileHashOrServicesAreSame }
  }

  /// The rules for connection parameters that a peripheral requests.
  package enum Rules: Hashable, Sendable {
    /// All that the specification allows.
    case any
    /// Those of the Accessory Design Guidelines for Apple Devices.
    case apple
    /// Those of 2013, for iOS up to 10.
    case apple2013
  }

  /// Its name in options and scenarios.
  package var name: String
  /// What it stands for.
  package var title: String
  /// The longest ATT PDU that it accepts, in octets.
  package var mtu = 517
  /// The longest LE payload that it offers, in octets.
  package var dataLength = 251
  /// The PHY that it asks for; nil leaves the link as it is.
  package var phy: PHY? = .le2M
  /// The connection intervals with which it connects.
  package var intervals: ClosedRange<Duration>
  /// The supervision timeout with which it connects.
  package var timeout: Duration
  /// The rules for requested parameters.
  package var rules = Rules.any
  /// What it does by itself on a new link.
  package var opening: [Opening] = []
  /// When it discovers.
  package var discovery = Discovery.onRequest
  /// How it discovers.
  package var order = DiscoveryOrder.byService
  /// What it uses again.
  package var caching = Caching.ofBondedOrFixedDevices
  /// Where this is known from. What has no source is marked as assumed.
  package var sources: [String]

  /// Returns the persona with that name; nil if there is none.
  package static func named(_ name: String) -> CentralPersona? { all.first { $0.name == name } }

  /// All personas.
  package static let all: [CentralPersona] = [iOS, olderIOS, watchOS, macOS] + androids + [windows, bluez]

  /// An iPhone with a present system.
  package static let iOS = CentralPersona(
    name: "ios", title: "an iPhone or iPad with a present system", intervals: .milliseconds(30)...(.milliseconds(30)),
    timeout: .milliseconds(720), rules: .apple, opening: [.exchangeMTU],
    sources: [
      "WWDC 2013 session 703: the MTU is exchanged first", "WWDC 2017 session 712: what is cached",
      "Accessory Design Guidelines: parameters",
      "assumed: 517 octets, 30 ms, 720 ms, the order of discovery",
    ])

  /// An iPhone with iOS 10 or earlier.
  package static let olderIOS = CentralPersona(
    name: "ios-10", title: "an iPhone with iOS 10 or earlier, without LE 2M", mtu: 185, phy: nil,
    intervals: .milliseconds(30)...(.milliseconds(30)), timeout: .milliseconds(720), rules: .apple2013,
    opening: [.exchangeMTU],
    sources: ["Bluetooth Accessory Design Guidelines (2013): parameters", "assumed: 185 octets, 30 ms, 720 ms"])

  private static let watchOS: CentralPersona = {
    var persona = iOS
    (persona.name, persona.title) = ("watchos", "a Watch")
    persona.sources = ["WWDC 2017 session 712: at least 30 ms", "assumed: the rest is as for ios"]
    return persona
  }()

  private static let macOS: CentralPersona = {
    var persona = iOS
    (persona.name, persona.title) = ("macos", "a Mac")
    persona.sources = ["assumed: as for ios"]
    return persona
  }()

  /// Android: the stack begins with balanced parameters, and an app asks for an MTU.
  private static let androids: [CentralPersona] = (12...16).map { version in
    var persona = CentralPersona(
      name: "android-\(version)", title: "a phone with Android \(version)",
      intervals: .milliseconds(30)...(.milliseconds(50)), timeout: .seconds(5),
      opening: [.readServerFeatures, .readDatabaseHash], discovery: .byItself, caching: .whileHashIsSame,
      sources: [
        "AOSP, bta/gatt/bta_gattc_act.cc and bta_gattc_cache.cc: the hash, discovery and its order, the cache"
          + " (a device whose controller is older than Bluetooth 5.1 is not asked for a hash)",
        "AOSP, configuration of the Bluetooth app: 24 to 40 units of 1.25 ms and 500 of 10 ms for balanced connections",
        "assumed: Server Supported Features are read before the services are discovered; LE 2M is asked for",
      ])
    if version >= 14 {
      persona.sources.append("Android 14 behavior changes: the first request of an app for an MTU is for 517 octets")
    } else {
      persona.sources.append("BluetoothGatt.requestMtu: an app chooses up to 517 octets")
    }
    return persona
  }

  private static let windows = CentralPersona(
    name: "windows", title: "a PC with Windows 10 or 11", mtu: 527, phy: nil,
    intervals: .milliseconds(60)...(.milliseconds(60)), timeout: .milliseconds(9600), opening: [.exchangeMTU],
    caching: .ofBondedDevices,
    sources: [
      "adafruit/Adafruit_nRF52_Arduino issue 721: an MTU of 527 octets",
      "assumed: 60 ms, 9.6 s, LE 1M, all of discovery",
    ])

  private static let bluez = CentralPersona(
    name: "bluez", title: "Linux with BlueZ", phy: nil, intervals: .milliseconds(30)...(.milliseconds(50)),
    timeout: .milliseconds(420), opening: [.exchangeMTU, .readServerFeatures], discovery: .byItself, order: .byKind,
    caching: .whileHashOrServicesAreSame,
    sources: [
      "Linux, net/bluetooth/hci_core.c: 24 to 40 units of 1.25 ms, 42 of 10 ms, LE 1M",
      "BlueZ, src/main.conf: an MTU of 517 octets", "BlueZ, src/shared/gatt-client.c: the order of requests, the hash",
      "BlueZ, src/main.conf: databases are kept with and without a bond",
    ])
}
