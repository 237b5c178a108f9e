/// The language of fleets, which is that of profiles with other keys.
extension Language {
  static let fleet = KeyTable(
    name: "fleet",
    keys: [
      .init(name: Fleet.mark, type: .integer(1...1), summary: "The version of the language.", isRequired: true),
      .init(name: "name", type: .text, summary: "Its name.", isRequired: true),
      .init(name: "about", type: .text, summary: "A description, for people."),
      .init(
        name: "seed", type: .integer(0...Int.max),
        summary: "The seed for addresses and random values (default: that of the command line)."),
      .init(
        name: "controllers", type: .dictionary(.text),
        summary: "Names of controllers, and their addresses, as for --controller."),
      .init(
        name: "accessories", type: .list(.mapping("fleet-accessory")), summary: "The accessories.", isRequired: true),
      .init(name: "air", type: .mapping("fleet-air"), summary: "The virtual radio."),
    ])

  static let fleetAccessory = KeyTable(
    name: "fleet-accessory",
    keys: [
      .init(
        name: "profile", type: .choice([.text, .mapping("profile")]),
        summary: "A profile: the name of a shipped one, a file relative to the fleet's, or the profile itself.",
        isRequired: true),
      .init(
        name: "name", type: .text,
        summary:
          "Its name in events and in the control API (default: the profile's file). If there are several, a number follows."
      ),
      .init(name: "count", type: .integer(1...Fleet.limit), summary: "How many there are (default: 1)."),
      .init(
        name: "set", type: .dictionary(.any),
        summary: "Parameters and keys of the profile, as PATH: VALUE, as for --set."),
      .init(
        name: "seed", type: .integer(0...Int.max),
        summary: "Its seed (default: the fleet's, plus 1 for each accessory before it with the same address)."),
      .init(
        name: "controller", type: .text,
        summary: "The name of a controller of the fleet, or an address (default: virtual). Several can share one."),
      .init(name: "faults", type: .list(.mapping("fault")), summary: "Faults from the start."),
    ])

  static let fleetAir = KeyTable(
    name: "fleet-air",
    keys: [
      .init(name: "preset", type: .text, summary: "The kind of virtual controllers, as for --preset."),
      .init(name: "impair", type: .list(.text), summary: "Impairments, as for --impair."),
      .init(name: "join", type: .list(.text), summary: "Where other hosts join, as for --join."),
      .init(name: "speed", type: .scalar, summary: "The speed of the radio's time, as for --speed."),
    ])

  static let fleetTables = [fleet, fleetAccessory, fleetAir]
}
