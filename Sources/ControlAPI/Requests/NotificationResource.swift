import AccessoryProfile

/// What a path about notifications and who may see them names.
enum NotificationResource: Hashable, Sendable {
  case notifications
  case notification(String)
  case authorization(AuthorizationScope)

  init?(_ names: [String]) {
    switch (names[0], names.count) {
    case ("notifications", 1): self = .notifications
    case ("notifications", 2): self = .notification(names[1])
    case ("services", 3) where names[2] == "authorization": self = .authorization(.service(names[1]))
    case ("characteristics", 3) where names[2] == "authorization": self = .authorization(.characteristic(names[1]))
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .notifications: ["GET", "POST"]
    case .notification: ["PUT", "DELETE"]
    case .authorization: ["PUT"]
    }
  }
}
