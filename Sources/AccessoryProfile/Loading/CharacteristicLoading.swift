import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// Loads a characteristic's declaration, and appends its behavior to `characteristics`.
  mutating func characteristic(_ node: SyntaxNode) -> CharacteristicDefinition? {
    guard let keys = keys(node, Language.characteristic) else { return nil }
    let uuid = keys["uuid"].flatMap { self.uuid($0, .characteristic) }
    let id = identifier(keys["id"], uuid: uuid, place: keys["uuid"] ?? node, isService: false)
    if let id { characteristicNodes[id] = node }
    let handle = fixedHandle(keys["handle"], upTo: 0xFFFE)
    var (properties, extended) = properties(keys["properties"])
    let known = valueFormat(keys, uuid)
    let format = known ?? .octets
    // A value is not checked if its format is invalid.
    valueExpressions = []
    let given = known == nil ? nil : keys["value"].flatMap { self.source($0, format) }
    let expressions = given == nil ? [] : valueExpressions
    let source = given ?? .constant(.octets([]))
    let lengths = lengths(keys, format: format, source: source, properties)
    let notify = sending(keys, "notify", properties.contains(.notify))
    let indicate = sending(keys, "indicate", properties.contains(.indicate))
    let reading = keys["on-read"].map { readRule($0) }
    let descriptors = descriptors(
      keys, of: id ?? "", format, isDescriptionWritable: extended.contains(.writableAuxiliaries))
    checkExtendedProperties(keys, &properties, &extended, descriptors)
    checkRange(keys, source, format)
    let octets = source.isConstant ? ValueEvaluator.constant(source, format) : nil
    let owner = keys["per"].flatMap { valueOwner($0, keys, source) } ?? .accessory
    let isStored =
      octets != nil && owner == .accessory && reading?.error == nil && reading?.timing == nil && !hearsReads(keys, id)
    characteristics.append(
      LoadedCharacteristic(
        behavior: CharacteristicBehavior(
          id: id ?? "", uuid: uuid ?? BluetoothUUID(0), format: format,
          display: known == nil ? nil : keys["show"].flatMap { display($0, of: format) }, source: source,
          isStored: isStored,
          isPersistent: isPersistent(keys, source), owner: owner, notify: notify, indicate: indicate, writeRules: [],
          readRequirement: reading?.requirement, readError: reading?.error, readTiming: reading?.timing,
          threshold: threshold(keys, format), framing: keys["packets"].flatMap { packetFraming($0, keys) },
          numbering: keys["numbered"].flatMap { writeNumbering($0, properties) },
          announcedTable: keys["announces"].flatMap { announcedTable($0, properties) }),
        rules: keys["on-write"], controlPoint: keys["control-point"], triggered: keys["rules"],
        properties: properties, readCondition: keys["on-read"]?.value(of: "if"), expressions: expressions))
    if let key = keys.key("control-point") {
      if !properties.contains(.write) { error(key, "commands need the property 'write'") }
      if let rules = keys.key("on-write") { error(rules, "'control-point' and 'on-write' cannot be combined") }
    }
    if let rules = keys.key("on-write"), properties.isDisjoint(with: .anyWrite) {
      error(rules, "it cannot be written: the properties lack 'write' or 'write-without-response'")
    }
    let permissions = permissions(keys["permissions"], properties)
    var definition = CharacteristicDefinition(
      id: id ?? "", uuid: uuid ?? BluetoothUUID(0), properties: properties, permissions: permissions.value,
      value: isStored ? .stored(octets ?? []) : .asked, maximumLength: lengths.maximum, hasFixedLength: lengths.isFixed,
      notifiesContinuously: notify == .continuously, descriptors: descriptors,
      configurationPermissions: permissions.configuration, extendedProperties: extended, handle: handle.map { $0 + 1 })
    if let node = keys["authorization"] { authorize(node, &definition) }
    return definition
  }

  private mutating func isPersistent(_ keys: Keys, _ source: ValueSource) -> Bool {
    guard let node = keys["persistent"], boolean(node) == true else { return false }
    switch source {
    case .clock, .pattern:
      error(node, "a generated value cannot be kept")
      return false
    default: return true
    }
  }

  /// Reads the owner of the value. A generated value cannot have owners.
  private mutating func valueOwner(_ node: SyntaxNode, _ keys: Keys, _ source: ValueSource) -> ValueOwner? {
    if !source.isConstant {
      error(node, "a generated value is shared by all clients; compute it from variables with 'per' instead")
    }
    for name in ["control-point", "packets"] where keys[name] != nil {
      error(node, "'per' and '\(name)' cannot be combined, because writes do not change the value")
    }
    return owner(node, Language.characteristic)
  }

  /// Reads which reads are not answered with the value at once, and how they are answered.
  private mutating func readRule(
    _ node: SyntaxNode
  ) -> (requirement: Expression?, error: ATTErrorCode?, timing: AnswerTiming?) {
    guard let keys = keys(node, Language.readRule) else { return (nil, nil, nil) }
    if keys["error"] == nil, keys["after"] == nil, keys["ask"] == nil {
      error(node, "expected 'error', 'after' or 'ask'")
    }
    return (keys["if"].flatMap { unresolved($0) }, keys["error"].flatMap { errorCode($0) }, answerTiming(keys))
  }

  private mutating func properties(_ node: SyntaxNode?) -> (CharacteristicProperties, ExtendedProperties) {
    var properties: CharacteristicProperties = []
    var extended: ExtendedProperties = []
    guard let node else { return (properties, extended) }
    let names = CharacteristicProperties.names
    let words = Language.characteristic.words(of: "properties")
    for element in list(node) ?? [] {
      guard let word = oneOf(element, words) else { continue }
      let isNew: Bool
      if let found = names.first(where: { $0.name == word })?.property {
        isNew = properties.insert(found).inserted
      } else if let found = ExtendedProperties.names.first(where: { $0.name == word })?.property {
        isNew = extended.insert(found).inserted
      } else {
        continue
      }
      if !isNew { warn(element, "'\(word)' is given twice") }
    }
    return (properties, extended)
  }

  /// Checks the requirements of extended properties (Core 5.4 Vol 3 Part G 3.3.3.1).
  private mutating func checkExtendedProperties(
    _ keys: Keys, _ properties: inout CharacteristicProperties, _ extended: inout ExtendedProperties,
    _ descriptors: [DescriptorDefinition]
  ) {
    guard let node = keys["properties"] else { return }
    let place = { (name: String) in node.elements?.first { $0.text == name } ?? node }
    let isDescribed = descriptors.contains { $0.uuid == .extendedProperties }
    if !extended.isEmpty, isDescribed {
      error(place(extended.presentNames[0]), "the descriptor 2900 already defines this; remove one of them")
      extended = []
    } else if properties.contains(.extendedProperties), extended.isEmpty, !isDescribed {
      properties.remove(.extendedProperties)
      error(
        node,
        "'extended' needs a descriptor 2900 with the extended properties, or 'reliable-write' or 'writable-auxiliaries'"
      )
    }
    if extended.contains(.reliableWrite), !properties.contains(.write) {
      error(place("reliable-write"), "the properties lack 'write'")
    }
    if extended.contains(.writableAuxiliaries), !descriptors.contains(where: { $0.uuid == .userDescription }) {
      error(place("writable-auxiliaries"), "there is no 'description' to write")
    }
  }

  private mutating func permissions(
    _ node: SyntaxNode?, _ properties: CharacteristicProperties
  ) -> (value: AttributePermissions, configuration: AttributePermissions) {
    let open = properties.openPermissions
    guard let node, let keys = keys(node, Language.permissions) else { return (open, .readableAndWritable) }
    var result = (value: open, configuration: AttributePermissions.readableAndWritable)
    if let read = keys["read"] {
      if open.read == nil { error(read, "the properties lack 'read'") }
      result.value.read = requirement(read, keySize: keys["key-size"])
    }
    if let write = keys["write"] {
      if properties.isDisjoint(with: .anyWrite) {
        error(write, "the properties lack 'write' or 'write-without-response'")
      }
      let needed = requirement(write, keySize: keys["key-size"])
      if open.write != nil { result.value.write = needed }
      // Also set for a value that accepts only signed writes.
      result.value.signedWrite = needed
    }
    if let subscribe = keys["subscribe"] {
      if properties.isDisjoint(with: [.notify, .indicate, .broadcast]) {
        error(subscribe, "the properties lack 'notify', 'indicate' or 'broadcast'")
      }
      // Core 5.4 Vol 3 Part G 3.3.3.3: every client may read a configuration.
      result.configuration.write = requirement(subscribe, keySize: keys["key-size"])
    }
    checkKeySize(keys, of: [result.value.read, result.value.write, result.configuration.write])
    return result
  }

  // MARK: Sending

  private mutating func sending(_ keys: Keys, _ name: String, _ isPossible: Bool) -> CharacteristicBehavior.Sending? {
    guard let node = keys[name] else { return isPossible ? .onChange : nil }
    if !isPossible, let key = keys.key(name) { error(key, "the properties lack '\(name)'") }
    guard node.pairs != nil else {
      if let interval = FamiliarShapes.interval(of: node) {
        error(node, "unknown word \(node.kindName), did you mean { every: \(interval) }?")
        return .onChange
      }
      let word = oneOf(node, Language.characteristic.words(of: name))
      return word == "on-demand" ? .onDemand : .onChange
    }
    guard let sending = self.keys(node, Language.sending) else { return nil }
    guard let every = sending["every"] else {
      if sending["change"] == nil { error(node, "expected either 'every' or 'change'") }
      return .onChange
    }
    for key in ["change", "of"].compactMap({ sending.key($0) }) {
      error(key, "'every' and '\(key.text ?? "")' cannot be combined")
    }
    if every.plainText == "buffer" {
      if name == "indicate" {
        error(every, "an indication waits for its confirmation; 'buffer' is for notify only")
      }
      return .continuously
    }
    if isName(every) {
      error(
        every,
        "expected a duration such as '1 s', or buffer, not \(every.kindName): without '\(name)', every change is sent; "
          + "if a rule decides when, write \(name): on-demand, and do: { \(name): ID } in the rule")
      return .onDemand
    }
    return duration(sending, "every").map { .every($0) }
  }

  /// Returns whether an interval was given by a name, or by anything else that does not begin as a number.
  private func isName(_ node: SyntaxNode) -> Bool {
    guard let text = node.text, !node.isNull else { return false }
    return text.first.map { $0.isLetter } ?? false
  }

  /// Reads the minimum change of a value that is sent to subscribers.
  private mutating func threshold(_ keys: Keys, _ format: ValueFormat) -> CharacteristicBehavior.Threshold? {
    guard
      let node = ["notify", "indicate"].lazy.compactMap({ keys[$0] }).first(where: { $0.value(of: "change") != nil }),
      let changeNode = node.value(of: "change"), let change = number(changeNode)
    else { return nil }
    guard change > 0 else {
      error(changeNode, "a change must be above 0, not \(changeNode.kindName)")
      return nil
    }
    guard let fieldNode = node.value(of: "of") else {
      if !format.isNumeric { error(changeNode, "the value is not a number; name a numeric field in 'of'") }
      return .init(change: change, field: nil)
    }
    let fields = format.fields ?? []
    guard let name = text(fieldNode), let field = fields.first(where: { $0.name == name }) else {
      error(
        fieldNode,
        "there is no field \(fieldNode.kindName)\(hint(for: fieldNode.text ?? "", among: fields.map(\.name)))")
      return nil
    }
    if !field.format.isNumeric { error(fieldNode, "the field '\(name)' is not a number") }
    return .init(change: change, field: name)
  }

  // MARK: Lengths

  private mutating func lengths(
    _ keys: Keys, format: ValueFormat, source: ValueSource, _ properties: CharacteristicProperties
  ) -> (maximum: Int, isFixed: Bool) {
    let valueLength = ValueEvaluator.constant(source, format)?.count ?? 0
    let fixedSize = format.fixedSize
    let given = integer(keys, "max-length").map { Int($0) }
    let isFixed = keys["fixed-length"].flatMap { boolean($0) } ?? (given == nil && fixedSize != nil)
    let maximum = given ?? (isFixed ? fixedSize ?? valueLength : 512)
    if valueLength > maximum, let place = keys["value"] {
      error(place, "the value has \(valueLength) octets; the maximum is \(maximum)")
    } else if isFixed, valueLength != maximum, let place = keys["fixed-length"], keys["value"] != nil, source.isConstant
    {
      error(place, "the value has \(valueLength) octets; its length must be \(maximum)")
    }
    return (maximum, isFixed)
  }
}
