import Faults

extension ProfileLoader {
  /// Loads a fleet from its nodes. It continues after every error, as for a profile.
  mutating func fleet(_ root: SyntaxNode, _ words: Fleet.Words, _ settings: [ProfileSetting]) -> Fleet? {
    guard let keys = keys(root, Language.fleet) else { return nil }
    if let node = keys[Fleet.mark] { _ = integer(node, keys.table, Fleet.mark) }
    let name = keys["name"].flatMap { text($0) } ?? ""
    let about = keys["about"].flatMap { text($0) } ?? ""
    let seed = integer(keys, "seed").map { UInt64($0) }
    let controllers = controllers(keys["controllers"], words)
    var members: [Fleet.Member] = []
    let nodes = keys["accessories"].flatMap { list($0) } ?? []
    for node in nodes {
      let added = fleetMembers(node, controllers, words, settings)
      guard members.count + added.count <= Fleet.limit else {
        error(node, "a fleet has at most \(Fleet.limit) accessories")
        break
      }
      members += added
    }
    if let list = keys["accessories"], list.elements?.isEmpty == true { error(list, "a fleet needs an accessory") }
    let air = keys["air"].map { fleetAir($0, words) } ?? Fleet.Air()
    return Fleet(file: source.name, name: name, about: about, seed: seed, members: members, air: air, warnings: [])
  }

  // MARK: Controllers and the air

  /// Returns the addresses of controllers, by name.
  private mutating func controllers(_ node: SyntaxNode?, _ words: Fleet.Words) -> [String: String] {
    guard let node else { return [:] }
    var addresses: [String: String] = [:]
    for pair in mapping(node, "from names to addresses of controllers") {
      guard Self.isIdentifier(pair.name) else {
        error(pair.key, "a name consists of letters, digits, '-' and '_', not '\(pair.name)'")
        continue
      }
      addresses[pair.name] = checked(pair.value, words.controller) ?? ""
    }
    return addresses
  }

  private mutating func fleetAir(_ node: SyntaxNode, _ words: Fleet.Words) -> Fleet.Air {
    var air = Fleet.Air()
    guard let keys = keys(node, Language.fleetAir) else { return air }
    air.preset = keys["preset"].flatMap { checked($0, words.preset) }
    air.speed = keys["speed"].flatMap { checked($0, words.speed) }
    for element in keys["impair"].flatMap({ list($0) }) ?? [] {
      if let text = checked(element, words.impairment) { air.impairments.append(text) }
    }
    for element in keys["join"].flatMap({ list($0) }) ?? [] {
      if let text = checked(element, words.join) { air.joins.append(text) }
    }
    return air
  }

  /// Returns a text that another part of the program accepts.
  private mutating func checked(_ node: SyntaxNode, _ check: Fleet.Words.Check) -> String? {
    guard let text = text(node) else { return nil }
    if let reason = check(text) {
      error(node, reason)
      return nil
    }
    return text
  }

  // MARK: Accessories

  private mutating func fleetMembers(
    _ node: SyntaxNode, _ controllers: [String: String], _ words: Fleet.Words, _ settings: [ProfileSetting]
  ) -> [Fleet.Member] {
    guard let keys = keys(node, Language.fleetAccessory) else { return [] }
    let count = Int(integer(keys, "count") ?? 1)
    let seed = integer(keys, "seed").map { UInt64($0) }
    let name = keys["name"].flatMap { memberName($0) }
    var controller = "virtual"
    if let given = keys["controller"], let text = text(given) {
      if let known = controllers[text] {
        controller = known
      } else if let reason = words.controller(text) {
        error(given, reason + (controllers.isEmpty ? "" : hint(for: text, among: controllers.keys.sorted())))
      } else {
        controller = text
      }
    }
    guard let given = keys["profile"], let profile = memberProfile(given, overrides: keys["set"], settings) else {
      return []
    }
    let faults = faults(keys["faults"], profile.faultNames)
    return (0..<count).map { index in
      Fleet.Member(
        name: name.map { count > 1 ? "\($0)-\(index + 1)" : $0 }, profile: profile,
        seed: seed.map { $0 &+ UInt64(index) },
        controller: controller, faults: faults, place: Fleet.Place(line: node.line, column: node.column))
    }
  }

  /// Returns a name that is valid in a path of the control API.
  private mutating func memberName(_ node: SyntaxNode) -> String? {
    guard let name = text(node) else { return nil }
    guard Self.isIdentifier(name) else {
      error(node, "a name consists of letters, digits, '-' and '_', not '\(name)'")
      return nil
    }
    return name
  }

  /// Loads the profile of an accessory, with the changes by the fleet. Errors are reported at their position, in the profile's file or in
  /// the fleet's.
  private mutating func memberProfile(
    _ node: SyntaxNode, overrides: SyntaxNode?, _ settings: [ProfileSetting]
  ) -> Profile? {
    guard let (found, root) = profileRoot(node) else { return nil }
    var loader = ProfileLoader(source: found, diagnostics: [])
    var changed = root
    for pair in overrides.map({ mapping($0, "from paths to values") }) ?? [] {
      let path = pair.name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      guard path.allSatisfy({ !$0.isEmpty }) else {
        error(pair.key, "'\(pair.name)' is not a path such as connection.mtu")
        continue
      }
      do throws(PathFault) { changed = try loader.setting(path, to: pair.value, in: changed) } catch {
        self.error(pair.key, error.reason)
      }
    }
    let profile = loader.profile(loader.prepared(changed, settings))
    note(loader.sortedDiagnostics)
    guard var profile, !loader.hasError else { return nil }
    profile.file = found.name
    return profile
  }

  /// Returns the nodes of a profile that is in the fleet, or that the fleet names.
  private mutating func profileRoot(_ node: SyntaxNode) -> (SourceFile, SyntaxNode)? {
    if node.pairs != nil { return (source, node.profile(named: "Accessory")) }
    guard let text = text(node) else { return nil }
    let folder = source.name.lastIndex(of: "/").map { source.name[...$0] } ?? ""
    let isFile = text.contains("/") || text.hasSuffix(".yaml")
    let place =
      isFile ? (text.hasPrefix("/") ? text : folder + text) : ShippedProfiles.list.first { $0.name == text }?.path
    guard let place else {
      error(node, "there is no shipped profile '\(text)'\(hint(for: text, among: ShippedProfiles.list.map(\.name)))")
      return nil
    }
    switch ShippedProfiles.text(at: place).map({ .success($0) }) ?? FileReading.text(at: place) {
    case .failure(let failure):
      error(node, "\(place): \(failure.reason)")
      return nil
    case .success(let content):
      let file = SourceFile(name: place, text: content)
      let (root, faults) = YAMLReader.read(content, source: file)
      note(faults)
      return root.map { (file, $0) }
    }
  }
}
