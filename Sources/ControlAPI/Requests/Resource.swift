import BLECore

/// What a path names.
enum Resource: Hashable, Sendable {
  /// The accessories that are served.
  case accessories
  /// Something of the accessory of that name.
  indirect case member(String, Resource)
  case accessory(AccessoryResource)
  case bonds(BondResource)
  case channels(ChannelResource)
  case notifications(NotificationResource)
  case questions(QuestionResource)
  case services(ServiceResource)
  case faults(FaultResource)
  case radio(RadioResource)

  /// The resource of a path, which may have a query; nil for what there is not.
  init?(path: String) {
    let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count > 2, segments[0].isEmpty, segments[1] == "v1" else { return nil }
    var names: [String] = []
    for segment in segments.dropFirst(2) {
      guard let name = PercentEncoding.decode(segment), !name.isEmpty else { return nil }
      names.append(name)
    }
    switch (names[0], names.count) {
    case ("radio", _):
      guard let resource = RadioResource(Array(names.dropFirst())) else { return nil }
      self = .radio(resource)
    case ("accessories", 1): self = .accessories
    case ("accessories", 2): self = .member(names[1], .accessory(.accessory))
    case ("accessories", _):
      guard let resource = Resource(ofAccessory: Array(names.dropFirst(2))) else { return nil }
      self = .member(names[1], resource)
    default:
      guard let resource = Resource(ofAccessory: names) else { return nil }
      self = resource
    }
  }

  /// What the path of an accessory names.
  private init?(ofAccessory names: [String]) {
    if let resource = BondResource(names) {
      self = .bonds(resource)
    } else if let resource = ChannelResource(names) {
      self = .channels(resource)
    } else if let resource = NotificationResource(names) {
      self = .notifications(resource)
    } else if let resource = QuestionResource(names) {
      self = .questions(resource)
    } else if let resource = FaultResource(names) {
      self = .faults(resource)
    } else if let resource = ServiceResource(names) {
      self = .services(resource)
    } else {
      guard let resource = AccessoryResource(names) else { return nil }
      self = .accessory(resource)
    }
  }

  /// What can be done with it.
  var methods: [String] {
    switch self {
    case .accessories: ["GET"]
    case .member(_, let resource): resource.methods
    case .accessory(let resource): resource.methods
    case .bonds(let resource): resource.methods
    case .channels(let resource): resource.methods
    case .notifications(let resource): resource.methods
    case .questions(let resource): resource.methods
    case .services(let resource): resource.methods
    case .faults(let resource): resource.methods
    case .radio(let resource): resource.methods
    }
  }
}

/// What a path of an accessory names.
enum AccessoryResource: Hashable, Sendable {
  case accessory
  case events
  /// The packets between host and controller, decoded.
  case packets
  /// The same as a capture file.
  case capture
  /// The last packets, which are kept in memory.
  case ring
  case characteristics
  case value(of: String)
  case notification(of: String)
  case indication(of: String)
  case advertising
  case buttons
  case press(button: String)
  /// Falling asleep, or waking up.
  case sleep(Bool)
  case advertisingSwitch(set: String, isOn: Bool)
  case disconnection(of: String)
  case parameters(of: String)
  /// A Security Request to a central.
  case pairing(of: String)
  /// How the accessory pairs.
  case security
  /// What the accessory gives centrals out of band for a pairing.
  case outOfBand
  /// Being another device.
  case identityRotation
  /// What is known of a central's server.
  case remote(of: String)
  case remoteOperation(of: String, RemoteVerb)

  init?(_ names: [String]) {
    switch names.count {
    case 1: self.init(collection: names[0])
    case 2 where names == ["identity", "rotate"]: self = .identityRotation
    case 2 where names == ["security", "oob"]: self = .outOfBand
    case 2 where names[0] == "buttons": self = .press(button: names[1])
    case 3: self.init(collection: names[0], member: names[1], part: names[2])
    case 4:
      guard names[0] == "connections", names[2] == "remote", let verb = RemoteVerb(rawValue: names[3]) else {
        return nil
      }
      self = .remoteOperation(of: names[1], verb)
    default: return nil
    }
  }

  private init?(collection: String) {
    switch collection {
    case "accessory": self = .accessory
    case "events": self = .events
    case "packets": self = .packets
    case "capture": self = .capture
    case "ring": self = .ring
    case "characteristics": self = .characteristics
    case "advertising": self = .advertising
    case "security": self = .security
    case "buttons": self = .buttons
    case "sleep": self = .sleep(true)
    case "wake": self = .sleep(false)
    default: return nil
    }
  }

  private init?(collection: String, member: String, part: String) {
    switch (collection, part) {
    case ("characteristics", "value"): self = .value(of: member)
    case ("characteristics", "notify"): self = .notification(of: member)
    case ("characteristics", "indicate"): self = .indication(of: member)
    case ("advertising", "start"): self = .advertisingSwitch(set: member, isOn: true)
    case ("advertising", "stop"): self = .advertisingSwitch(set: member, isOn: false)
    case ("connections", "disconnect"): self = .disconnection(of: member)
    case ("connections", "parameters"): self = .parameters(of: member)
    case ("connections", "pair"): self = .pairing(of: member)
    case ("connections", "remote"): self = .remote(of: member)
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .accessory, .events, .packets, .capture, .characteristics, .advertising, .buttons, .remote: ["GET"]
    case .value, .security: ["GET", "PUT"]
    case .ring: ["GET", "POST"]
    case .outOfBand: ["GET", "POST", "DELETE"]
    case .identityRotation: ["POST"]
    case .notification, .indication, .press, .sleep, .advertisingSwitch, .disconnection, .parameters, .pairing,
      .remoteOperation:
      ["POST"]
    }
  }
}

/// What can be done with a central's server.
enum RemoteVerb: String, Hashable, Sendable { case discover, read, write, subscribe }

/// What a path below `/v1/radio` names.
enum RadioResource: Hashable, Sendable {
  /// All of it.
  case radio
  /// What happens on paths that have no impairment of their own.
  case ordinary
  case path(from: String, to: String)
  case controller(String)
  case restart(String)

  init?(_ names: [String]) {
    switch (names.first, names.count) {
    case (nil, _): self = .radio
    case ("default", 1): self = .ordinary
    case ("paths", 3): self = .path(from: names[1], to: names[2])
    case ("controllers", 2): self = .controller(names[1])
    case ("controllers", 3) where names[2] == "restart": self = .restart(names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .radio: ["GET"]
    case .ordinary, .path, .controller: ["PUT", "DELETE"]
    case .restart: ["POST"]
    }
  }
}

/// Percent-encoding (RFC 3986 2.1).
enum PercentEncoding {
  /// The text of a segment; nil where a `%` is not followed by two digits, or the octets are not UTF-8.
  static func decode(_ segment: Substring) -> String? {
    var octets: [UInt8] = []
    var rest = Substring(segment).utf8
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      octets.append(high << 4 | low)
    }
    return String(validating: octets, as: UTF8.self)
  }

  /// A text as a segment: letters, digits and `-._~` as they are (RFC 3986 2.3).
  static func encode(_ text: String) -> String {
    text.utf8.map { octet in
      let scalar = UnicodeScalar(octet)
      return octet < 0x80 && (scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar))
        ? String(scalar) : "%\([octet].hexadecimal)"
    }.joined()
  }

  private static func digit(_ octet: UInt8) -> UInt8? {
    Character(UnicodeScalar(octet)).hexDigitValue.map { UInt8($0) }
  }
}
