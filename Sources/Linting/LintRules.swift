extension LintRule {
  /// All rules, by topic.
  package static let all: [LintRule] =
    advertisingRules + advertisingDataRules + nameRules + beaconRules + connectionRules + discoveryRules
    + cachingRules + valueRules + securityRules + privacyRules + channelRules + serviceRules + keyboardRules
    + windowsRules + batteryRules + setupRules + languageRules

  /// The names of all rules.
  package static let names = all.map(\.id)

  /// Returns the rule of that name.
  package static func named(_ id: String) -> LintRule? { all.first { $0.id == id } }
}
