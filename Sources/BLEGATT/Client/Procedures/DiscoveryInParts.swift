import BLEATT

/// A discovery of a whole server, which consists of other procedures, one after the other.
protocol DiscoveryInParts: GATTProcedure {
  /// The present part.
  var part: any GATTProcedure { get set }
  /// What was discovered so far.
  var services: [RemoteService] { get }
  /// Stores the result of a part.
  mutating func keep(_ result: GATTResult)
  /// Creates the next part; false if everything has been discovered.
  mutating func advance() -> Bool
}

extension DiscoveryInParts {
  mutating func begin(mtu: Int) -> ProcedureStep { follow(part.begin(mtu: mtu), mtu: mtu) }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    follow(try part.take(response, mtu: mtu), mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    follow(part.takeRefusal(refusal, mtu: mtu), mtu: mtu)
  }

  /// Continues with the next part after each that has ended.
  private mutating func follow(_ step: ProcedureStep, mtu: Int) -> ProcedureStep {
    var step = step
    while case .end(let outcome) = step {
      guard case .success(let result) = outcome else { return step }
      keep(result)
      guard advance() else { return .end(.success(.services(services))) }
      step = part.begin(mtu: mtu)
    }
    return step
  }
}
