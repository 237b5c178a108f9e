/// What a path of an accessory's L2CAP channels names.
enum ChannelResource: Hashable, Sendable {
  /// Those that are open.
  case channels
  case sending(connection: String, channel: String)
  case closing(connection: String, channel: String)
  /// Those that the accessory opens.
  case opening(connection: String)
  /// What centrals can open channels to.
  case publications
  case publication(String)
  case authorization(of: String)

  init?(_ names: [String]) {
    switch (names[0], names.count, names.last) {
    case ("channels", 1, _): self = .channels
    case ("channels", 4, "send"): self = .sending(connection: names[1], channel: names[2])
    case ("channels", 4, "close"): self = .closing(connection: names[1], channel: names[2])
    case ("connections", 3, "channels"): self = .opening(connection: names[1])
    case ("published", 3, "authorization"): self = .authorization(of: names[1])
    case ("published", 1, _): self = .publications
    case ("published", 2, _): self = .publication(names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .channels: ["GET"]
    case .sending, .closing, .opening: ["POST"]
    case .authorization: ["PUT"]
    case .publications: ["GET", "POST"]
    case .publication: ["DELETE"]
    }
  }
}
