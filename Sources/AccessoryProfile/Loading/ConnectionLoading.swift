import BLECore
import BLEGAP

extension ProfileLoader {
  /// Loads the accessory's requirements for its connections.
  mutating func connection(_ node: SyntaxNode?) -> ConnectionPolicy {
    var policy = ConnectionPolicy()
    guard let node, let keys = keys(node, Language.connection) else { return policy }
    if let count = integer(keys, "max-connections") {
      policy.maximumConnections = Int(count)
    }
    if let mtu = integer(keys, "mtu") { policy.mtu = Int(mtu) }
    if let node = keys["mtu-requests"] { policy.mtuAnswer = mtuAnswer(node) }
    if let node = keys["data-length"] { dataLength(node, into: &policy) }
    if let node = keys["phy"], let name = oneOf(node, Language.connection.words(of: "phy")) {
      policy.preferredPHY = Self.phy(named: name)
    }
    if let node = keys["host-flow-control"],
      oneOf(node, Language.connection.words(of: "host-flow-control")) == "off"
    {
      policy.hostBuffers = 0
    }
    if let node = keys["request"] { policy.parameterRequest = parameterRequest(node) }
    if let node = keys["allowed-phys"] { policy.allowedPHYs = allowedPHYs(node, policy.preferredPHY, keys["phy"]) }
    if let node = keys["parameter-requests"] {
      (policy.parameterAnswer, policy.parameterDelay) = parameterAnswer(node)
    }
    return policy
  }

  // MARK: Requests of centrals

  private mutating func mtuAnswer(_ node: SyntaxNode) -> ConnectionPolicy.MTUAnswer {
    guard node.pairs != nil else {
      switch oneOf(node, Language.connection.words(of: "mtu-requests")) {
      case "refuse": return .refuse
      case "ignore": return .ignore
      default: return .accept
      }
    }
    guard let keys = keys(node, Language.mtuDelay), let after = keys["after"], let delay = answerDelay(after) else {
      return .accept
    }
    return .late(delay)
  }

  /// Reads the data length that is offered, at once or some time after connecting.
  private mutating func dataLength(_ node: SyntaxNode, into policy: inout ConnectionPolicy) {
    guard node.pairs != nil else {
      if let length = integer(node, Language.connection, "data-length") { policy.dataLength = Int(length) }
      return
    }
    guard let keys = keys(node, Language.lateDataLength) else { return }
    if let length = integer(keys, "octets") { policy.dataLength = Int(length) }
    if let delay = duration(keys, "after") {
      policy.dataLengthDelay = delay
    }
  }

  private mutating func allowedPHYs(_ node: SyntaxNode, _ preferred: PHY?, _ preference: SyntaxNode?) -> [PHY]? {
    guard let elements = list(node) else { return nil }
    let words = Language.connection.words(of: "allowed-phys")
    let phys = elements.compactMap { oneOf($0, words).flatMap { Self.phy(named: $0) } }
    if elements.isEmpty { error(node, "expected at least one PHY, such as [1M]") }
    if let preference, let preferred, !phys.contains(preferred) {
      error(preference, "it would request a PHY that is not in 'allowed-phys'")
    }
    return phys
  }

  private mutating func parameterAnswer(
    _ node: SyntaxNode
  ) -> (answer: ConnectionPolicy.ParameterAnswer, delay: Duration) {
    guard node.pairs != nil else {
      switch oneOf(node, Language.connection.words(of: "parameter-requests")) {
      case "refuse": return (.reject, .zero)
      case "ignore": return (.ignore, .zero)
      default: return (.accept, .zero)
      }
    }
    guard let keys = keys(node, Language.parameterLimits) else { return (.accept, .zero) }
    if keys["within"] == nil, keys["after"] == nil { error(node, "expected 'within', 'after' or both") }
    var delay = Duration.zero
    if let after = keys["after"], let given = duration(keys, "after") {
      delay = given
      // Core 5.4 Vol 6 Part B 5.2: the procedure response timeout.
      if delay >= .seconds(40) { warn(after, "after 40 s the central's procedure times out, which ends the link") }
    }
    let range = durationRange(keys, "within")
    return (range.map { .acceptWithin($0) } ?? .accept, delay)
  }

  static func phy(named name: String) -> PHY? {
    switch name {
    case "1M": .le1M
    case "2M": .le2M
    case "coded": .leCoded
    default: nil
    }
  }

  private mutating func parameterRequest(_ node: SyntaxNode) -> ConnectionPolicy.ParameterRequest? {
    guard let keys = keys(node, Language.parameterRequest) else { return nil }
    let intervals = durationRange(keys, "interval")
    let latency = integer(keys, "latency") ?? 0
    let timeout = duration(keys, "timeout")
    let delay = duration(keys, "after") ?? .seconds(5)
    guard let intervals, let timeout, let timeoutNode = keys["timeout"] else { return nil }
    // Core 5.4 Vol 6 Part B 4.5.2: the timeout exceeds two intervals, each extended by the skipped events.
    let least = intervals.upperBound * 2 * Int(latency + 1)
    if timeout <= least {
      error(
        timeoutNode,
        "the timeout must be longer than (1 + latency) x the longest interval x 2, which is \(Durations.text(least))")
      return nil
    }
    return .init(intervals: intervals, latency: Int(latency), timeout: timeout, delay: delay)
  }
}
