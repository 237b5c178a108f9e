import BLECore
import BLEGAP

/// An accessory as another tool describes it, or as learnt from a real device. `ProfileWriter` writes it as a profile.
///
/// Each part can have comments, which the profile shows at that part, and further keys as ready YAML.
package struct ImportedDatabase: Hashable, Sendable {
  /// The accessory's name; nil if the source has none.
  package var name: String?
  /// A description for people; empty for none.
  package var about = ""
  /// Comments for the head of the profile.
  package var comments: [String] = []
  /// The random static address; nil for one that follows from the name.
  package var address: DeviceAddress?
  /// Whether the accessory has a public address: the controller's.
  package var hasPublicAddress = false
  /// The appearance; nil if the source has none.
  package var appearance: Appearance?
  /// Further keys of `identity`.
  package var identityKeys: [ImportedKey] = []
  /// The advertising sets; nil if the source says nothing about advertising.
  package var advertising: [ImportedAdvertisingSet]?
  /// What is known about connections.
  package var connection = ImportedConnection()
  /// How the accessory pairs; nil for not at all.
  package var security: ImportedSecurity?
  /// The Generic Attribute service.
  package var gatt = ImportedGATT()
  /// The services in the order of the source. Generic Access and Generic Attribute may be among them: the writer turns them into keys such as
  /// `name` and `gatt`.
  package var services: [ImportedService] = []
  /// The L2CAP channels that the accessory publishes.
  package var channels: [ImportedChannel] = []
  /// Further keys of the profile, such as `formats` or `rules`. They come after all others.
  package var keys: [ImportedKey] = []

  /// Creates a database without services.
  package init(name: String? = nil) { self.name = name }
}

/// A key of the profile as ready YAML.
package struct ImportedKey: Hashable, Sendable {
  /// The key.
  package var name: String
  /// Its value: one line that follows the key, or several lines of a block, which are indented below it.
  package var yaml: String
  /// Comments above the key.
  package var comments: [String]

  /// Creates a key.
  package init(_ name: String, _ yaml: String, comments: [String] = []) {
    (self.name, self.yaml, self.comments) = (name, yaml, comments)
  }
}

/// What is known about the Generic Attribute service.
package struct ImportedGATT: Hashable, Sendable {
  /// Whether it has Service Changed; nil if that is unknown.
  package var hasServiceChanged: Bool?
  /// Whether it has the characteristics of robust caching.
  package var hasRobustCaching = false
  /// Whether handles follow the order of the services. Otherwise services with 16-bit UUIDs may move to the front.
  package var keepsOrder = false
  /// Further keys of `gatt`.
  package var keys: [ImportedKey] = []

  package init() {}
}

/// What is known about connections.
package struct ImportedConnection: Hashable, Sendable {
  /// The Server Rx MTU.
  package var mtu: Int?
  /// The maximum number of connected centrals.
  package var maximumConnections: Int?
  /// The connection parameters that the accessory requests.
  package var request: Request?
  /// Further keys of `connection`.
  package var keys: [ImportedKey] = []
  /// Comments above `connection`.
  package var comments: [String] = []

  /// Connection parameters to request.
  package struct Request: Hashable, Sendable {
    /// The shortest and the longest interval.
    package var intervals: ClosedRange<Duration>
    /// The number of events that the accessory may skip.
    package var latency: Int
    /// The supervision timeout; nil for the usual one.
    package var timeout: Duration?
    /// The time from connecting to the request; nil for the usual delay.
    package var delay: Duration?

    package init(
      intervals: ClosedRange<Duration>, latency: Int = 0, timeout: Duration? = nil, delay: Duration? = nil
    ) {
      (self.intervals, self.latency, self.timeout, self.delay) = (intervals, latency, timeout, delay)
    }
  }

  package init() {}
}

/// How the accessory pairs.
package struct ImportedSecurity: Hashable, Sendable {
  /// The profile's word for its IO capability: `just-works`, `display`, `compare`, `keyboard` or `keyboard-display`.
  package var pairing: String
  /// Further keys of `security`, such as `passkey` or `mitm`.
  package var keys: [ImportedKey]
  /// Comments above `security`.
  package var comments: [String]

  package init(pairing: String, keys: [ImportedKey] = [], comments: [String] = []) {
    (self.pairing, self.keys, self.comments) = (pairing, keys, comments)
  }
}

/// An L2CAP channel that the accessory publishes.
package struct ImportedChannel: Hashable, Sendable {
  /// Its name in the control API.
  package var id: String
  /// The PSM; nil for the lowest free one.
  package var psm: Int?
  /// The longest SDU that it receives; nil for the usual one.
  package var mtu: Int?
  /// The longest payload of one frame; nil for the usual one.
  package var mps: Int?
  /// The initial credits; nil for the usual ones.
  package var credits: Int?
  /// What answers on it, as ready YAML.
  package var handler: String
  /// Further keys of the channel.
  package var keys: [ImportedKey] = []
  /// Comments above the channel.
  package var comments: [String] = []

  package init(id: String, psm: Int? = nil, handler: String = "echo") {
    (self.id, self.psm, self.handler) = (id, psm, handler)
  }
}

/// An advertising set.
package struct ImportedAdvertisingSet: Hashable, Sendable {
  /// Its name in the control API.
  package var id: String
  /// Whether it uses extended PDUs.
  package var isExtended = false
  /// Whether centrals can connect.
  package var isConnectable = true
  /// Whether it is scannable; nil for the default.
  package var isScannable: Bool?
  /// The advertising data.
  package var data: ImportedAdvertisingData
  /// The scan response; nil for none.
  package var scanResponse: ImportedAdvertisingData?
  /// The intervals, in order, each with how long it applies; empty for the usual schedule.
  package var schedule: [AdvertisingPhase] = []
  /// Further keys of the set.
  package var keys: [ImportedKey] = []
  /// Comments above the set.
  package var comments: [String] = []

  package init(id: String = "main", data: ImportedAdvertisingData) { (self.id, self.data) = (id, data) }
}

/// The data of an advertising set.
package enum ImportedAdvertisingData: Hashable, Sendable {
  /// AD structures as on the air. The writer expresses them with keys of the language if these produce the same octets.
  case octets([UInt8])
  /// The keys of `data` as ready YAML, for data that changes.
  case keys([ImportedKey])
}
