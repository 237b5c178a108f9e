import BLEATT
import BLECore
import Faults

extension ProfileLoader {
  mutating func action(_ node: SyntaxNode, _ names: FaultNames) -> FaultAction? {
    guard node.pairs != nil else {
      guard let word = oneOf(node, FaultWords.actions) else { return nil }
      return Self.action(word)
    }
    guard let keys = keys(node, Language.faultAction) else { return nil }
    // Keys that only modify another key.
    let additions = ["handle", "pause", "when", "service"]
    let given = Language.faultAction.names.filter { keys[$0] != nil && !additions.contains($0) }
    guard given.count == 1, let key = given.first, let value = keys[key] else {
      error(node, "expected one kind of fault (known: \(Language.faultAction.names.joined(separator: ", ")))")
      return nil
    }
    checkAdditions(keys, of: key)
    return pduAction(key, value, keys) ?? linkAction(key, value, keys) ?? accessoryAction(key, value, keys, names)
  }

  private static func action(_ word: String) -> FaultAction? {
    switch word {
    case "ignore": .ignore
    case "twice", "duplicate": .repeatAnswer(2)
    case "corrupt": .alter(.corrupt)
    case "wrong-request": .alter(.wrongRequest)
    case "drop": .drop
    case "reorder": .reorder
    case "mute": .mute
    case "refuse": .decline
    case "close": .closeChannel
    case "reset-controller": .resetController
    default: nil
    }
  }

  private mutating func checkAdditions(_ keys: Keys, of key: String) {
    let owners = [
      "handle": ["error"], "pause": ["keep-sending", "flood"], "when": ["disconnect"], "service": ["services"],
    ]
    for (addition, known) in owners.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
      guard let place = keys.key(addition) else { continue }
      error(place, "'\(addition)' needs \(known.map { "'\($0)'" }.joined(separator: " or "))")
    }
  }

  private mutating func pduAction(_ key: String, _ value: SyntaxNode, _ keys: Keys) -> FaultAction? {
    switch key {
    case "error":
      let handle = integer(keys, "handle").map { UInt16(truncatingIfNeeded: $0) }
      return errorCode(value).map { .refuse($0, handle: handle) }
    case "delay": return duration(keys, key).map { .delay($0) }
    case "repeat": return integer(keys, key).map { .repeatAnswer(Int($0)) }
    case "truncate": return integer(keys, key).map { .alter(.truncate(Int($0))) }
    case "lengthen": return integer(keys, key).map { .alter(.lengthen(Int($0))) }
    case "value": return octets(value).map { .alter(.value($0.octets)) }
    case "pdu":
      guard let pdu = octets(value)?.octets else { return nil }
      if pdu.isEmpty { error(value, "a PDU has at least one octet") }
      return .alter(.replace(pdu))
    case "mtu": return integer(keys, key).map { .mtu(Int($0)) }
    case "keep-sending":
      return integer(keys, key).map { .keepSending(Int($0), every: pause(keys)) }
    default: return nil
    }
  }

  private mutating func pause(_ keys: Keys) -> Duration {
    duration(keys, "pause") ?? .milliseconds(100)
  }

  private mutating func linkAction(_ key: String, _ value: SyntaxNode, _ keys: Keys) -> FaultAction? {
    switch key {
    case "disconnect":
      let moment = keys["when"].flatMap { oneOf($0, FaultMoment.allCases.map(\.rawValue)) } ?? "after"
      return reason(value).map { .disconnect($0, FaultMoment(rawValue: moment) ?? .after) }
    case "flood":
      guard let flood = self.keys(value, Language.faultFlood), let kind = flood["with"],
        let word = oneOf(kind, FaultFlood.allCases.map(\.rawValue))
      else { return nil }
      let times = integer(flood, "times") ?? 20
      return FaultFlood(rawValue: word).map { .flood($0, Int(times), every: pause(keys)) }
    case "result": return integer(keys, key).map { .refuseChannel(UInt16(truncatingIfNeeded: $0)) }
    case "credits":
      return oneOf(value, ["withhold", "overflow"]).map { $0 == "withhold" ? .withholdCredits : .overflowCredits }
    case "frame":
      return oneOf(value, FaultFrame.allCases.map(\.rawValue)).flatMap { FaultFrame(rawValue: $0) }.map {
        .badFrame($0)
      }
    default: return nil
    }
  }

  private mutating func reason(_ node: SyntaxNode) -> ErrorCode? {
    if node.plainText.flatMap({ Numbers.integer($0) }) != nil {
      guard let number = integer(node, Language.faultAction, "disconnect") else { return nil }
      let code = ErrorCode(rawValue: UInt8(truncatingIfNeeded: number))
      guard FaultWords.reasons.contains(where: { $0.code == code }) else {
        let known = FaultWords.reasons.map { "0x\([$0.code.rawValue].hexadecimal)" }.joined(separator: ", ")
        error(node, "a controller accepts only these reasons from its host: \(known) (Core 5.4 Vol 4 Part E 7.1.6)")
        return nil
      }
      return code
    }
    guard let word = oneOf(node, FaultWords.reasons.map(\.word)) else { return nil }
    return FaultWords.reasons.first { $0.word == word }?.code
  }

  private mutating func accessoryAction(
    _ key: String, _ value: SyntaxNode, _ keys: Keys, _ names: FaultNames
  ) -> FaultAction? {
    switch key {
    case "services":
      guard let word = oneOf(value, ["change", "change-silently"]) else { return nil }
      let service = keys["service"].flatMap { text($0) }
      if let service, !names.services.contains(service), let node = keys["service"] {
        error(node, "there is no service '\(service)'\(hint(for: service, among: names.services))")
      }
      return .changeDatabase(removing: service, isAnnounced: word == "change")
    case "service-changed": return integer(keys, key).map { .serviceChanged(Int($0)) }
    case "keys": return oneOf(value, ["forget", "corrupt"]).map { $0 == "forget" ? .forgetKeys : .corruptKeys }
    case "vanish": return duration(keys, key).map { .vanish($0) }
    case "reboot": return duration(keys, key).map { .reboot($0) }
    case "clock-ahead": return duration(keys, key).map { .shiftClock($0) }
    case "clock-behind": return duration(keys, key).map { .shiftClock(.zero - $0) }
    case "advertise": return advertisingFault(value).map { .advertise($0) }
    default: return nil
    }
  }

  private mutating func advertisingFault(_ node: SyntaxNode) -> FaultAdvertising? {
    guard node.pairs != nil else {
      switch oneOf(node, FaultWords.advertising) {
      case "over-long": return .overLong
      case "changing": return .changing
      case "as-defined": return .asDefined
      default: return nil
      }
    }
    guard let keys = keys(node, Language.faultAdvertising) else { return nil }
    switch (keys["data"], keys["name"]) {
    case (let data?, nil):
      guard let octets = octets(data)?.octets else { return nil }
      if octets.count > 31 { error(data, "these are \(octets.count) octets; the maximum is 31") }
      return .data(octets)
    case (nil, let name?): return text(name).map { .name($0) }
    default:
      error(node, "expected either 'data' or 'name'")
      return nil
    }
  }
}

extension FaultAction {
  /// Returns the reason why this action is impossible on an occasion; nil if it is possible.
  func misfit(to occasion: FaultOccasion) -> String? {
    switch self {
    case .refuse:
      occasion.isRequest
        ? nil : "only a client's request can get an error: 'on' must be read, write, request …"
    case .mtu:
      occasion == .request([.exchangeMTURequest]) ? nil : "an MTU needs 'on: { request: exchange-mtu }'"
    case .delay:
      occasion.isRequest || occasion.isPush || occasion == .paged || occasion == .discovery
        ? nil : "this needs a request, a notification or an indication"
    case .repeatAnswer, .alter:
      occasion.isRequest || occasion.isPush || occasion == .discovery
        ? nil : "this needs a request, a notification or an indication"
    case .drop:
      occasion.isPush || occasion.isSDU
        ? nil : "only notifications, indications and SDUs can be dropped; requests can be ignored"
    case .reorder, .repeatPush, .holdBack: occasion.isPush ? nil : "only notifications and indications can be reordered"
    case .ignore:
      occasion.isRequest || occasion.isPush || occasion.isRefusable || occasion.isChannelRequest
        ? nil : "only requests can be ignored"
    case .keepSending:
      if case .unsubscribed = occasion {
        nil
      } else {
        "this needs 'on: { unsubscribed: … }'"
      }
    case .decline:
      occasion.isRefusable
        ? nil : "this can be refused only with 'on': parameters, paged, link-key or service-discovery"
    case .refuseChannel: occasion.isChannelRequest ? nil : "a result needs 'on: { channel-request: … }'"
    case .withholdCredits, .overflowCredits, .badFrame, .closeChannel:
      occasion.isOpenChannel ? nil : "this needs an open channel: 'on: { channel: … }' or 'on: { sdu: … }'"
    case .mute, .flood, .serviceChanged:
      occasion == .disconnected || occasion == .paged ? "this needs a link, but there is none" : nil
    default: nil
    }
  }
}

extension FaultOccasion {
  fileprivate var isSDU: Bool { if case .sdu = self { true } else { false } }

  fileprivate var isChannelRequest: Bool { if case .channelRequest = self { true } else { false } }

  fileprivate var isOpenChannel: Bool { if case .channelOpened = self { true } else { isSDU } }
}
