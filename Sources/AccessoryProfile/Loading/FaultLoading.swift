import BLEATT
import BLECore
import Faults

extension ProfileLoader {
  /// Loads the faults of a profile. All ids that they refer to must exist.
  mutating func faults(_ node: SyntaxNode?, _ names: FaultNames) -> [Fault] {
    guard let node, let elements = list(node) else { return [] }
    var faults: [Fault] = []
    for (position, element) in elements.enumerated() {
      guard let fault = fault(element, number: position + 1, names) else { continue }
      if !usesClassic, [.paged, .linkKey, .discovery].contains(fault.occasion), let on = element.value(of: "on") {
        error(on, "this needs BR/EDR: 'transports: [le, br-edr]'")
      }
      if faults.contains(where: { $0.id == fault.id }) {
        error(element.value(of: "id") ?? element, "there is another fault '\(fault.id)'")
      }
      faults.append(fault)
    }
    return faults
  }

  /// Loads a fault. Without an id, it is called `fault-` and its number.
  mutating func fault(_ node: SyntaxNode, number: Int, _ names: FaultNames) -> Fault? {
    guard let keys = keys(node, Language.fault), let on = keys["on"], let actionNode = keys["do"] else { return nil }
    let id = keys["id"].flatMap { text($0) } ?? "fault-\(number)"
    guard let occasion = occasion(on, names), let action = action(actionNode, names) else { return nil }
    if let reason = action.misfit(to: occasion) {
      error(actionNode, reason)
      return nil
    }
    if node.source.hasLines { faultPlaces[id] = "\(node.source.name):\(node.line)" }
    var fault = Fault(id: id, on: occasion, do: action)
    fault.timing = timing(keys, names)
    fault.connection = integer(keys, "connection").map { UInt16(truncatingIfNeeded: $0) }
    if let node = keys["peer"], let text = text(node) {
      fault.peer = DeviceAddress(text)
      if fault.peer == nil { error(node, "expected an address such as C4:12:34:56:78:9A, not '\(text)'") }
    }
    return fault
  }

  private mutating func timing(_ keys: Keys, _ names: FaultNames) -> FaultTiming {
    var timing = FaultTiming()
    let first = integer(keys, "nth")
    let every = integer(keys, "every")
    timing.first = Int(first ?? every ?? 1)
    timing.every = Int(every ?? 1)
    timing.limit = integer(keys, "times").map { Int($0) }
    if first != nil, keys["every"] == nil, keys["times"] == nil { timing.limit = 1 }
    if let node = keys["probability"] { timing.probability = probability(node) }
    guard let after = keys["after"] else { return timing }
    if let text = after.plainText, Durations.parse(text) != nil {
      timing.delay = duration(keys, "after") ?? .zero
    } else {
      timing.condition = occasion(after, names)
      if timing.condition?.isTime == true { error(after, "give this duration directly, as in 'after: 5 s'") }
    }
    return timing
  }

  mutating func probability(_ node: SyntaxNode) -> Double? {
    let value: Double? =
      if let text = node.plainText, text.hasSuffix("%") {
        Numbers.decimal(String(text.dropLast())).map { $0 / 100 }
      } else {
        number(node)
      }
    guard let value else {
      error(node, "expected a probability such as 0.2 or 20%, not \(node.kindName)")
      return nil
    }
    guard (0...1).contains(value) else {
      error(node, "a probability is from 0 to 1, or from 0% to 100%")
      return nil
    }
    return value
  }

  // MARK: Occasions

  private mutating func occasion(_ node: SyntaxNode, _ names: FaultNames) -> FaultOccasion? {
    guard node.pairs != nil else {
      guard let word = oneOf(node, FaultWords.occasions.map(\.word)) else { return nil }
      return FaultWords.occasions.first { $0.word == word }?.occasion
    }
    guard let keys = keys(node, Language.faultOccasion) else { return nil }
    let given = Language.faultOccasion.names.filter { keys[$0] != nil }
    guard given.count == 1, let key = given.first, let value = keys[key] else {
      error(node, "expected one of \(Language.faultOccasion.names.joined(separator: ", "))")
      return nil
    }
    switch key {
    case "request": return requests(value).map { .request($0) }
    case "at": return duration(keys, key).map { .elapsed($0) }
    case "every": return duration(keys, key).map { .periodic($0) }
    case "channel-request", "channel", "sdu":
      guard let name = name(value, among: names.channels, "channel") else { return nil }
      let channel = name == FaultWords.any ? nil : name
      return key == "sdu" ? .sdu(channel) : key == "channel" ? .channelOpened(channel) : .channelRequest(channel)
    default:
      guard let name = name(value, among: names.characteristics, "characteristic") else { return nil }
      let characteristic = name == FaultWords.any ? nil : name
      if let access = FaultAccess(rawValue: key) { return .access(access, of: characteristic) }
      if let push = FaultPush(rawValue: key) { return .push(push, of: characteristic) }
      return key == "subscribed" ? .subscribed(characteristic) : .unsubscribed(characteristic)
    }
  }

  private mutating func requests(_ node: SyntaxNode) -> [ATTOpcode]? {
    let words = FaultWords.requests.map(\.word)
    let opcodes = (node.elements ?? [node]).compactMap { element in
      oneOf(element, words).flatMap { word in FaultWords.requests.first { $0.word == word }?.opcode }
    }
    return opcodes.isEmpty ? nil : opcodes
  }

  /// Reads a known id, or the word for all.
  private mutating func name(_ node: SyntaxNode, among known: [String], _ kind: String) -> String? {
    guard let name = text(node) else { return nil }
    guard name == FaultWords.any || known.contains(name) else {
      error(node, "there is no \(kind) '\(name)'\(hint(for: name, among: known + [FaultWords.any]))")
      return nil
    }
    return name
  }
}

/// The ids that faults may refer to.
struct FaultNames {
  var characteristics: [String]
  var channels: [String]
  var services: [String]
}
