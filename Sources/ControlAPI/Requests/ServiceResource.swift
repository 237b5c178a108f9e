/// What a path about the services of an accessory names.
enum ServiceResource: Hashable, Sendable {
  case services
  case service(String)

  init?(_ names: [String]) {
    guard names[0] == "services" else { return nil }
    switch names.count {
    case 1: self = .services
    case 2: self = .service(names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .services: ["GET", "POST"]
    case .service: ["PUT", "DELETE"]
    }
  }
}
