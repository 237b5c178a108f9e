import BLECore
import BLEGATT

/// The environment of a profile's expressions: its runtime at one instant.
struct RuleEnvironment: ExpressionEnvironment {
  let runtime: ProfileRuntime
  let context: RuleContext
  let now: Instant
  private var numbers: SplitMix64

  /// Creates an environment. A different `stream` gives different random numbers.
  init(_ runtime: ProfileRuntime, _ context: RuleContext, at now: Instant, stream: UInt64) {
    self.runtime = runtime
    self.context = context
    self.now = now
    numbers = SplitMix64(seed: runtime.seed, stream: stream)
  }

  mutating func random() -> UInt64 { numbers.next() }

  func value(of reference: Expression.Reference) throws(ExpressionError) -> ExpressionValue {
    switch reference {
    case .characteristic(let index):
      return ExpressionValue(runtime.decode(runtime.value(of: index, for: context.client, at: now), of: index))
    case .variable(let variable): return runtime.book.value(of: variable, for: context.client)
    case .parameter(let name): return context.parameters[name].map { ExpressionValue($0) } ?? .nothing
    case .known(let known): return try value(of: known)
    }
  }

  private func value(of known: Expression.Known) throws(ExpressionError) -> ExpressionValue {
    switch known {
    case .written:
      if let writer = context.writer { return ExpressionValue(runtime.decode(context.written, of: writer)) }
      return ExpressionValue(context.format?.decode(context.written) ?? .octets(context.written))
    case .value: return context.value ?? .nothing
    case .sent: return context.sent ?? .nothing
    case .time: return .real((now - runtime.start).inSeconds)
    case .now: return .whole(runtime.clock.nanoseconds(at: now, .utc) / 1_000_000_000)
    case .advertisements: return .whole(runtime.advertising.events(until: now))
    case .connections: return .whole(Int64(runtime.book.clients.count))
    case .connection: return context.client.map { .whole(Int64($0.rawValue)) } ?? .nothing
    case .mtu: return .whole(Int64(runtime.mtu(of: context.client)))
    case .state: return runtime.book.state.map { .text(runtime.book.states[$0]) } ?? .nothing
    case .counter: return .whole(Int64(context.counter))
    case .none: return .nothing
    }
  }

  func octets(of reference: Expression.Reference) throws(ExpressionError) -> [UInt8] {
    switch reference {
    case .characteristic(let index): return runtime.value(of: index, for: context.client, at: now)
    case .known(.written): return context.written
    default: return try value(of: reference).octets()
    }
  }

  func isSubscribed(_ reference: Expression.Reference) throws(ExpressionError) -> Bool {
    guard case .characteristic(let index) = reference else {
      throw ExpressionError("'subscribed' expects the id of a characteristic")
    }
    return runtime.sessions.contains { session in
      (context.client ?? session.client) == session.client && session.configurations[index] != nil
    }
  }
}
