import BLECore

extension ProfileLoader {
  /// Reads how writes are assembled into packets.
  mutating func packetFraming(_ node: SyntaxNode, _ keys: Keys) -> PacketFraming? {
    if let key = keys.key("packets") {
      if keys["control-point"] != nil { error(key, "'packets' and 'control-point' cannot be combined") }
      for rule in keys["on-write"]?.elements ?? [] {
        for pair in rule.pairs ?? [] where ["after", "ask"].contains(pair.name) {
          error(pair.key, "rules apply to complete packets; '\(pair.name)' is for single writes")
        }
      }
    }
    guard let parts = self.keys(node, Language.packets) else { return nil }
    let start = parts["start"].map { marker($0) } ?? []
    let longest = integer(parts, "longest") ?? 4096
    let limit = parts["within"].map { duration($0, parts.table, "within") } ?? .seconds(5)
    guard let end = packetEnd(parts, node), let start, let limit else { return nil }
    return PacketFraming(start: start, end: end, longest: Int(longest), limit: limit)
  }

  private mutating func packetEnd(_ keys: Keys, _ node: SyntaxNode) -> PacketFraming.End? {
    switch (keys["length"], keys["end"]) {
    case (nil, let end?):
      for name in ["at", "order", "plus"] {
        if let key = keys.key(name) { error(key, "'\(name)' needs 'length'") }
      }
      return marker(end).map { .marker($0) }
    case (let length?, nil):
      guard let word = oneOf(length, Language.packets.words(of: "length")) else { return nil }
      let width = word == "u8" ? 1 : word == "u16" ? 2 : 4
      let offset = integer(keys, "at") ?? 0
      let plus = integer(keys, "plus") ?? offset + Int64(width)
      let isBig = keys["order"].flatMap { oneOf($0, Language.orders) } == "big"
      return .length(at: Int(offset), octets: width, isBigEndian: isBig, plus: Int(plus))
    default:
      error(node, "expected either 'length' or 'end'")
      return nil
    }
  }

  private mutating func marker(_ node: SyntaxNode) -> [UInt8]? {
    guard let literal = octets(node) else { return nil }
    guard (1...16).contains(literal.octets.count) else {
      error(node, "a marker has 1 to 16 octets, not \(literal.octets.count)")
      return nil
    }
    return literal.octets
  }
}
