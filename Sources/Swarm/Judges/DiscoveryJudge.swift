import BLECore
import BLEGATT
import BLELink
import BLESDP
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting

/// The Service Discovery Server sends only valid responses (Core 5.4 Vol 3 Part B 4), refuses no valid query, and its records agree with the
/// database: one for each primary service, with its handles (Part G 9).
struct DiscoveryJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    // Faults send anything else instead.
    guard !isFaulty else { return }
    let now = stage.simulation.now
    for peer in stage.peers {
      for pdu in peer.received where pdu.place == .discovery && !Self.isResponse(pdu.octets) {
        findings.append(
          Finding("discovery", "\(peer.name) was sent \(pdu.octets.hexadecimal), which is no response", at: now))
      }
      // A request that the line doubles is answered twice, and one that it loses not at all.
      if stage.plan.hasLineTrouble { continue }
      for answer in peer.discovery.answers {
        // The records may have changed between the parts of the answer.
        if let changed = stage.servicesChanged, changed >= answer.since { continue }
        guard let text = problem(of: answer, on: stage) else { continue }
        findings.append(Finding("discovery", "\(peer.name) asked \(answer.query), but \(text)", at: now))
      }
    }
  }

  /// Returns whether octets are one whole response of a server.
  private static func isResponse(_ octets: [UInt8]) -> Bool {
    guard let (header, size) = try? SDPHeader.decodePrefix(of: octets.span),
      Int(header.length) == octets.count - size
    else { return false }
    let parameters = Array(octets[size...])
    return switch header.id {
    case .errorResponse: (try? SDPErrorResponse(decoding: parameters)) != nil
    case .serviceSearchResponse: (try? ServiceSearchResponse(decoding: parameters)) != nil
    case .serviceAttributeResponse: (try? ServiceAttributeResponse(decoding: parameters)) != nil
    case .serviceSearchAttributeResponse: (try? ServiceSearchAttributeResponse(decoding: parameters)) != nil
    default: false
    }
  }

  private func problem(of answer: DiscoveryExchange.Answer, on stage: SwarmStage) -> String? {
    switch (answer.query, answer.answer) {
    // The record may be gone since its handle was found.
    case (.attributes, .failure(.refused(.invalidServiceRecordHandle))): return nil
    case (_, .failure(.requestTooLong)): return nil
    case (_, .failure(let failure)): return "failed: \(failure)"
    case (.searchAttributes, .success(.records(let records))):
      let services = stage.accessory.simulated.stack.server.database.services.filter {
        $0.isDiscoverable(over: .classic)
      }
      let offered = Set(services.map { Described(uuid: $0.uuid, handles: $0.handles) })
      let described = records.compactMap { record in
        record.attributeHandles.flatMap { handles in
          record.serviceClasses.first.map { Described(uuid: $0, handles: handles) }
        }
      }
      let isSame = Set(described) == offered && described.count == offered.count
      return isSame ? nil : "got the records \(described) of the services \(offered)"
    default: return nil
    }
  }

  /// A service as its record describes it.
  private struct Described: Hashable {
    var uuid: BluetoothUUID
    var handles: ClosedRange<UInt16>
  }
}
