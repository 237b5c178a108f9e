import BLECore
import BLEGAP
import BLEGATT

/// Converts the nodes of a profile to a `Profile`. It continues after every error, so that all errors are reported at once.
struct ProfileLoader {
  let source: SourceFile
  private(set) var diagnostics: [Diagnostic]
  /// The number of diagnostics that were not kept, and whether any diagnostic is an error.
  private(set) var omitted = 0
  private(set) var hasError: Bool
  /// The changes that replace deprecated spellings, in the order in which they were found.
  var upgrades: [ProfileUpgrade] = []
  /// Texts that replace those of included files, by their paths.
  var includedTexts: [String: String] = [:]
  /// The characteristics so far, in the order of their indices.
  var characteristics: [LoadedCharacteristic] = [] {
    didSet {
      let known = characteristics
      characteristicPlaces.extend(to: known.count) { known[$0].behavior.id }
    }
  }
  /// The positions of the characteristics, by id.
  private(set) var characteristicPlaces = NamePlaces()
  /// The characteristics that rules refer to.
  var references: Set<CharacteristicIndex> = []
  /// The positions in the file of the ids of services and of characteristics.
  var serviceIDs: [String: SyntaxNode] = [:]
  var characteristicIDs: [String: SyntaxNode] = [:]
  /// The nodes of the services and characteristics, by id.
  var serviceNodes: [String: SyntaxNode] = [:]
  var characteristicNodes: [String: SyntaxNode] = [:]
  /// The accessory's rules for pairing.
  var security = SecurityDefinition()
  /// The accessory's transports, and whether it can do without BR/EDR. There are none while a part for a running accessory is loaded.
  var ownTransports: Set<LinkTransport> = []
  var usesClassic: Bool { ownTransports.contains(.classic) }
  var isClassicOptional = false
  /// The tables of records, and the authorizations.
  var tables: [RecordTable] = []
  var authorizations: [AuthorizationScope: AuthorizationPolicy] = [:]
  /// The formats that the profile defines.
  var ownFormats: [String: OwnFormat] = [:]
  /// The remaining budgets of a scenario.
  var scenarioAllowances = ScenarioAllowances()
  /// The nesting depth of the present format, and the remaining number of parts of the outermost one.
  var formatDepth = 0
  var formatAllowance = Allowance(.format)
  /// The fixed handles of each service, in the order of the file.
  var fixedHandles: [[FixedHandle]] = []
  /// The names that expressions may use: variables, and those of the present scope.
  var variables: [Variable] = [] {
    didSet {
      let known = variables
      variablePlaces.extend(to: known.count) { known[$0].name }
    }
  }
  /// The positions of the variables, by name.
  private(set) var variablePlaces = NamePlaces()
  var scope = ExpressionScope()
  /// The costs of values; nil until all values are loaded.
  var expressionCosts: ExpressionCosts?
  /// The nodes of the expressions in the present value.
  var valueExpressions: [SyntaxNode] = []
  /// The names that rules may refer to: states, advertising sets and channels.
  var stateNames: [String] = []
  var setNames: [String] = []
  var channelNames: [String] = []
  /// The advertising sets whose data follow from values.
  var liveAdvertising: [LiveAdvertisement] = []
  /// The channels on which rules send data.
  var outletNames: Set<String> = []
  /// The characteristics with rules for reads.
  var readIDs: Set<String> = []
  /// Where the faults so far are written, as `FILE:LINE`, by their ids.
  var faultPlaces: [String: String] = [:]
  /// The nodes in which aggregate formats refer to characteristics.
  var aggregateReferences: [SyntaxNode] = []

  /// A characteristic whose rules are loaded when all characteristics are known.
  struct LoadedCharacteristic {
    var behavior: CharacteristicBehavior
    var rules: SyntaxNode?
    var controlPoint: SyntaxNode?
    /// The rules in its key `rules`.
    var triggered: SyntaxNode?
    var properties: CharacteristicProperties = []
    /// The node of the condition for reads.
    var readCondition: SyntaxNode?
    /// The nodes of the expressions in its value, in order.
    var expressions: [SyntaxNode] = []
  }

  init(source: SourceFile, diagnostics: [Diagnostic]) {
    self.source = source
    self.diagnostics = diagnostics
    hasError = diagnostics.contains { $0.severity == .error }
  }

  /// Replaces the characteristics so far.
  mutating func replace(characteristics: [LoadedCharacteristic]) {
    characteristicPlaces = NamePlaces()
    self.characteristics = characteristics
  }

  /// The diagnostics in the order of their positions.
  var sortedDiagnostics: [Diagnostic] {
    diagnostics.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }

  mutating func error(_ node: SyntaxNode, _ message: String) {
    note(node, .error, message)
  }

  /// Adds the diagnostics of another reader.
  mutating func note(_ faults: [Diagnostic]) {
    for fault in faults { keep(fault) }
  }

  mutating func warn(_ node: SyntaxNode, _ message: String) { note(node, .warning, message) }

  /// Whether further diagnostics are only counted, because the maximum number is reached and all of them are errors.
  var isFull: Bool {
    diagnostics.count >= ProfileError.limit && !diagnostics.contains { $0.severity == .warning }
  }

  /// Returns a suffix for a message about an unknown word. It is empty if the message is only counted, because comparing words takes time.
  func hint(for word: String, among known: @autoclosure () -> [String], likely: [String] = []) -> String {
    isFull ? "" : Spelling.hint(for: word, among: known(), likely: likely)
  }

  /// The number of diagnostics so far.
  var diagnosticCount: Int { diagnostics.count + omitted }

  private mutating func note(_ node: SyntaxNode, _ severity: Diagnostic.Severity, _ message: String) {
    // Locating a position in a line takes time proportional to its length, so it is skipped for diagnostics that are only counted.
    guard diagnostics.count < ProfileError.limit || (severity == .error && !isFull) else {
      hasError = hasError || severity == .error
      return omitted += 1
    }
    keep(node.source.diagnostic(line: node.line, column: node.column, severity, message))
  }

  private mutating func keep(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error { hasError = true }
    // An error replaces a warning.
    if diagnostics.count >= ProfileError.limit {
      omitted += 1
      guard diagnostic.severity == .error, let place = diagnostics.firstIndex(where: { $0.severity == .warning }) else {
        return
      }
      diagnostics.remove(at: place)
    }
    diagnostics.append(diagnostic)
  }

  // MARK: The file

  mutating func profile(_ root: SyntaxNode) -> Profile? {
    guard let keys = keys(root, Language.profile) else { return nil }
    if let node = keys["understudy"] {
      let version = node.plainText.flatMap { Numbers.integer($0) }
      if version != Int64(Language.version) {
        error(node, "this program supports version \(Language.version) of the profile language, not \(node.kindName)")
      }
    }
    let name = keys["name"].flatMap { deviceName($0) } ?? ""
    let about = keys["about"].flatMap { text($0) } ?? ""
    let group = keys["group"].flatMap { text($0) } ?? ""
    let transports = transports(keys, name: name)
    ownTransports = Set(usesLE: transports.usesLE, usesClassic: transports.classic != nil)
    isClassicOptional = transports.classic?.isOptional ?? false
    let identity = identity(keys["identity"], name: name)
    var connection = connection(keys["connection"])
    security = security(keys["security"])
    let gatt = gatt(keys["gatt"])
    formats(keys["formats"])
    let (channels, serviceNode) = channels(keys["l2cap"], services: keys["services"])
    tables = recordTables(keys["tables"], notifications: keys["notifications"])
    variables(keys["variables"])
    stateNames(keys["states"])
    findReads(keys["rules"], states: keys["states"])
    setNames = keys["advertising"].map { ($0.elements ?? []).compactMap { $0.value(of: "id")?.text } } ?? ["main"]
    channelNames = channels.map(\.id)
    outletNames = Set(channels.filter { if case .rules = $0.handler { true } else { false } }.map(\.id))
    let services = services(serviceNode)
    checkVariables(keys["variables"])
    let rules = rules(keys["rules"], states: keys["states"])
    let clientSteps = clientSteps(keys["client"])
    let advertising = AdvertisingContext(
      name: name, appearance: identity.appearance,
      services: services.filter { $0.isDiscoverable(over: .le) }.map(\.uuid))
    let sets =
      transports.usesLE ? advertisingSets(keys["advertising"], advertising, nameNode: keys["name"] ?? root) : []
    let faults = faults(
      keys["faults"],
      FaultNames(
        characteristics: characteristics.map(\.behavior.id), channels: channels.map(\.id), services: services.map(\.id))
    )
    checkRotation(keys["identity"], identity.privacy, sets)
    actAs(keys, &connection, gatt, channels, sets)
    checkLint(keys["lint"])
    var profile = Profile(
      file: source.name, name: name, about: about, group: group, identity: identity.policy, privacy: identity.privacy,
      appearance: identity.appearance, advertising: sets, connection: connection, security: security,
      services: services, gatt: gatt, behaviors: characteristics.map(\.behavior), channels: channels, tables: tables,
      formats: ownFormats.compactMapValues(\.format), authorizations: authorizations,
      clientSteps: clientSteps, rules: rules, states: stateNames, variables: variables, faults: faults, warnings: [])
    profile.liveAdvertising = liveAdvertising
    (profile.usesLE, profile.classic, profile.serviceRecords) = (
      transports.usesLE, transports.classic, transports.records
    )
    profile.classic?.inquiryResponse = inquiryResponse(transports.inquiryResponse, advertising)
    profile.faultPlaces = faultPlaces
    profile.programs = programs(keys["programs"])
    profile.sleep = sleepPlan(keys["sleep"])
    profile.instructions = keys["instructions"].flatMap { text($0) } ?? ""
    return profile
  }

  mutating func deviceName(_ node: SyntaxNode) -> String? {
    guard let name = text(node) else { return nil }
    guard (1...248).contains(name.utf8.count) else {
      error(node, "the name has \(name.utf8.count) octets; it must have 1 to 248")
      return nil
    }
    return name
  }

  private mutating func warnOfStaticAddress(_ node: SyntaxNode) {
    warn(node, "over BR/EDR it has its public address, so peers take it for two devices: use 'address: public'")
  }

  private mutating func identity(
    _ node: SyntaxNode?, name: String
  ) -> (policy: IdentityPolicy, privacy: PrivacyPolicy, appearance: Appearance) {
    var result = (
      policy: IdentityPolicy.derivedStatic(from: name), privacy: PrivacyPolicy(), appearance: Appearance.unknown
    )
    // A device has its public address over BR/EDR, and peers recognize it over both transports only if it is its identity (Core 5.4 Vol 3
    // Part C 13.1). A controller without BR/EDR may have none.
    if usesClassic, !isClassicOptional { result.policy = .publicAddress }
    guard let node, let keys = keys(node, Language.identity) else { return result }
    if let address = keys["address"], let text = text(address) {
      switch text {
      case "static":
        result.policy = .derivedStatic(from: name)
        if usesClassic { warnOfStaticAddress(address) }
      case "private": result.privacy.isPrivate = true
      case "public": result.policy = .publicAddress
      default:
        if let fixed = DeviceAddress(text) {
          if !fixed.isValidRandomStatic {
            error(
              address,
              "\(text) is not a random static address: its first octet must be C0 to FF, and its other bits must "
                + "not be all equal"
            )
          }
          result.policy = .fixedStatic(fixed)
          if usesClassic { warnOfStaticAddress(address) }
        } else {
          error(
            address,
            "expected an address, not '\(text)'\(FamiliarValue.hint(for: text, among: ["static", "public", "private"]) ?? "") "
              + "(known: static, public, private, or one such as C4:12:34:56:78:9A)")
        }
      }
    }
    if let rotation = duration(keys, "rotation") {
      result.privacy.rotation = rotation
    }
    if let node = keys["privacy"], let word = oneOf(node, Language.identity.words(of: "privacy")),
      let maker = PrivacyPolicy.Maker(rawValue: word)
    {
      result.privacy.maker = maker
      if !result.privacy.isPrivate, let key = keys.key("privacy") {
        error(key, "this needs private addresses: 'address: private'")
      } else if maker == .controller, result.privacy.rotation > PrivacyPolicy.longestControllerRotation {
        error(node, "a controller uses an address for an hour at most; 'rotation' is longer")
      }
    }
    if let node = keys["appearance"], let appearance = appearance(node) { result.appearance = appearance }
    return result
  }

  private mutating func checkRotation(
    _ node: SyntaxNode?, _ privacy: PrivacyPolicy, _ sets: [AdvertisingSetDefinition]
  ) {
    guard !privacy.isPrivate, !sets.contains(where: { $0.address == .nonResolvable }),
      let key = node?.pairs?.first(where: { $0.name == "rotation" })?.key
    else { return }
    error(
      key,
      "only private addresses rotate: use 'address: private', or 'address: non-resolvable' in a set"
    )
  }

  // MARK: The Generic Attribute service

  private mutating func gatt(_ node: SyntaxNode?) -> GATTPolicy {
    var policy = GATTPolicy(canBond: security.canBond)
    guard let node, let keys = keys(node, Language.gatt) else { return policy }
    if let word = keys["service-changed"].flatMap({ oneOf($0, Language.gatt.words(of: "service-changed")) }),
      let mode = GATTPolicy.ServiceChangedMode(rawValue: word)
    {
      policy.serviceChanged = mode
      if mode == .absent, security.canBond, let place = keys["service-changed"] {
        warn(
          place,
          "bonded clients may cache the services permanently, and nothing informs them of a change (Core 5.4 Vol 3 Part G 2.5.2): "
            + "use 'auto', unless the accessory that is imitated has this defect")
      }
    }
    policy.hasRobustCaching = keys["robust-caching"].flatMap { boolean($0) } ?? false
    if let order = keys["order"].flatMap({ oneOf($0, Language.gatt.words(of: "order")) }) {
      policy.groupsByUUIDSize = order == "by-uuid-size"
    }
    if let count = integer(keys, "eatt") { policy.enhancedBearers = Int(count) }
    policy.opensEnhancedBearers = keys["opens-eatt"].flatMap { boolean($0) } ?? false
    if policy.opensEnhancedBearers, policy.enhancedBearers == 0, let key = keys.key("opens-eatt") {
      error(key, "there are no Enhanced ATT bearers to open: set 'eatt'")
    }
    return policy
  }
}
