import AccessoryProfile
import HTTPTypes
import Understudy

/// The subject of a control API.
enum ControlSubject: Sendable {
  /// An accessory, with the virtual radio that it may be on.
  case accessory(Accessory)
  /// Several accessories, with the virtual radio that they may share.
  case group(AccessoryGroup)
  /// A virtual radio alone.
  case radio(RadioHub)

  /// The accessories with their names.
  private var members: [AccessoryGroup.Member] {
    switch self {
    case .accessory(let accessory): [AccessoryGroup.Member(accessory)]
    case .group(let group): group.members
    case .radio: []
    }
  }

  /// All accessories.
  var accessories: [Accessory] { members.map(\.accessory) }

  /// The group, if it has several accessories.
  var group: AccessoryGroup? {
    if case .group(let group) = self, group.members.count > 1 { group } else { nil }
  }

  /// Returns the only accessory.
  func accessory() throws(Refusal) -> Accessory {
    let members = members
    guard let first = members.first else { throw Self.noAccessory }
    guard members.count == 1 else {
      let names = members.map(\.name)
      throw Refusal(
        .severalAccessories,
        "there are several accessories: say which, as /v1/accessories/\(names[0]) (known: "
          + "\(names.joined(separator: ", ")))")
    }
    return first.accessory
  }

  /// Returns the accessory with that name.
  func accessory(named name: String) throws(Refusal) -> Accessory {
    let members = members
    guard !members.isEmpty else { throw Self.noAccessory }
    guard let member = members.first(where: { $0.name == name }) else {
      let names = members.map(\.name).joined(separator: ", ")
      throw Refusal(.unknownAccessory, "there is no accessory \(name) (known: \(names))")
    }
    return member.accessory
  }

  private static var noAccessory: Refusal {
    Refusal(.noAccessory, "there is no accessory, only the virtual radio: /v1/radio")
  }

  /// Returns the virtual radio.
  func radio() async throws(Refusal) -> RadioHub {
    if case .radio(let radio) = self { return radio }
    if case .group(let group) = self, let radio = group.radio { return radio }
    let members = members
    for member in members {
      if let radio = await member.accessory.virtualRadio { return radio }
    }
    let controllers = members.map { "\($0.accessory.options.controller)" }.joined(separator: ", ")
    throw Refusal(.noRadio, "there is no virtual radio: the controller is \(controllers)")
  }

  /// Returns every accessory: `id`, `path`, and the main fields of its state.
  func list() async -> ProfileValue {
    var list: [ProfileValue] = []
    for member in members {
      guard case .object(let state) = await member.accessory.stateReport() else { continue }
      var fields = state.filter {
        ["name", "address", "address_type", "controller", "advertising", "connections"].contains($0.key)
      }
      fields["id"] = .string(member.name)
      fields["path"] = .string("/v1/accessories/\(PercentEncoding.encode(member.name))")
      list.append(.object(fields))
    }
    return .object(["accessories": .array(list)])
  }
}
