import BLEATT
import BLECore

/// Exchange MTU (Core 5.4 Vol 3 Part G 4.3.1).
struct MTUExchange: GATTProcedure {
  /// The longest PDU that this side can receive, in octets.
  let receiveMTU: Int

  mutating func begin(mtu: Int) -> ProcedureStep {
    .send(ExchangeMTURequest(clientMTU: UInt16(clamping: receiveMTU)))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let response: ExchangeMTUResponse = try decode(response)
    return .end(.success(.mtu(max(ATTBearer.defaultMTU, min(receiveMTU, Int(response.serverMTU))))))
  }
}

/// The answer with an MTU that was exchanged before: a client does that only once (Core 5.4 Vol 3 Part F 3.4.2.1).
struct AgreedMTU: GATTProcedure {
  mutating func begin(mtu: Int) -> ProcedureStep { .end(.success(.mtu(mtu))) }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep { begin(mtu: mtu) }
}
