extension Language {
  static let lint = KeyTable(
    name: "lint",
    keys: [
      .init(
        name: "allow", type: .dictionary(.text),
        summary: "Rules of `understudy lint` from which the profile deviates, and the reason for each.")
    ])
}
