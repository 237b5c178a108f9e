import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyTesting

/// A characteristic that needs protection, because of its permissions or the transport, is not read, written, subscribed to or sent on a link with less protection
/// (Core 5.4 Vol 3 Part C 10.3, Part F 4) or on one over a transport that its service lacks, and no signature counts twice (Part H 2.4.5). The judge compares every access with
/// the text of the profile. It reads the text itself, because the loader might drop a permission.
struct SecurityJudge: Judge {
  /// The protection that the profile requires, by the characteristic's id.
  private let needs: [String: Needs]
  private var security: [ConnectionHandle: LinkSecurity] = [:]

  struct Needs {
    var read = LinkProtection.none
    var write = LinkProtection.none
    var subscribe = LinkProtection.none
    var transports = LinkTransport.all
  }

  /// Creates the judge from the text of the profile.
  init(_ text: String) {
    var needs: [String: Needs] = [:]
    let tree = ProfileTree(yaml: text)
    for service in tree?["services"]?.members ?? [] {
      let words = service["transports"]?.members.compactMap(\.word)
      let transports = words.map { Set($0.compactMap { LinkTransport(rawValue: $0) }) } ?? LinkTransport.all
      for characteristic in service["characteristics"]?.members ?? [] {
        guard let id = characteristic["id"]?.word else { continue }
        func protection(_ key: String) -> LinkProtection {
          characteristic["permissions"]?[key]?.word.flatMap { LinkProtection(word: $0) } ?? .none
        }
        needs[id] = Needs(
          read: protection("read"), write: protection("write"), subscribe: protection("subscribe"),
          transports: transports)
      }
    }
    self.needs = needs
  }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    let database = stage.accessory.simulated.stack.server.database
    func check(
      _ link: ConnectionHandle, _ index: CharacteristicIndex, _ what: String, _ need: KeyPath<Needs, LinkProtection>
    ) {
      let id = database[index].definition.id
      let transport = stage.transport(of: link)
      if let transports = needs[id]?.transports, !transports.contains(transport) {
        findings.append(
          Finding("security", "\(id) was \(what) over \(transport.rawValue), which it lacks", at: stage.simulation.now))
      }
      // Over BR/EDR, everything needs encryption (Core 5.4 Vol 3 Part C 5.2.2.8).
      let least = transport == .classic ? LinkProtection.encrypted : .none
      let needed = max(needs[id]?[keyPath: need] ?? .none, least)
      let present = security[link]?.protection ?? .none
      guard present < needed else { return }
      findings.append(
        Finding("security", "\(id) needs \(needed) and was \(what) on a link with \(present)", at: stage.simulation.now)
      )
    }
    for event in events {
      switch event {
      case .connected(let link, _), .disconnected(let link, _): security[link] = nil
      case .controllerReady: security = [:]
      case .security(let link, .securityChanged(let now)): security[link] = now
      case .server(let link, .read(let index, _)): check(link, index, "read", \.read)
      case .server(let link, .written(let index, let value)):
        check(link, index, "written", \.write)
        guard stage.centrals.contains(where: { $0.replayed.contains(value) }) else { continue }
        findings.append(
          Finding(
            "security", "\(database[index].definition.id) was written with a signature that had been used before",
            at: stage.simulation.now))
      case .server(let link, .subscriptionChanged(let index, let value)) where !value.isEmpty:
        check(link, index, "subscribed to", \.subscribe)
      // A sent value also needs the protection of reads, because a stored subscription does not prove that the client may read it.
      case .notified(let link, let index, _):
        check(link, index, "notified", \.subscribe)
        check(link, index, "notified", \.read)
      case .indicated(let link, let index, _):
        check(link, index, "indicated", \.subscribe)
        check(link, index, "indicated", \.read)
      default: break
      }
    }
  }
}

extension ProfileTree {
  fileprivate var members: [ProfileTree] { if case .list(let members) = self { members } else { [] } }
  fileprivate var word: String? { if case .scalar(let text, _) = self { text } else { nil } }
}
