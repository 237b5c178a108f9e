import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLESMP

/// Whether advertising may be directed to a peer's private addresses, according to its Central Address Resolution characteristic (Core 5.4
/// Vol 3 Part C 12.4).
extension HostEngine {
  /// Reads the characteristic of a bonded peer if its value is unknown and the role directs advertising to such peers.
  mutating func askForAddressResolution(of link: LinkID, into out: inout HostOutput) {
    guard role.callsPeers, links[link].protection.resolutionQuestion == nil,
      let peer = links[link].security.bond?.peer,
      let record = bondTable[peer], record.resolvesAddresses == nil,
      record.bond.resolvingKey != nil
    else { return }
    var client = takeClient(of: link)
    let reportsBeginnings = client.reportsBeginnings
    client.reportsBeginnings = false
    links[link].protection.resolutionQuestion = client.perform(
      .readByType(.centralAddressResolution, 0x0001...0xFFFF), on: .fixed, at: out.now, into: &out.client)
    client.reportsBeginnings = reportsBeginnings
    flush(client, of: link, into: &out)
  }

  /// Handles the answer; returns false for any other event. The answer is not reported. A peer without the characteristic does not support
  /// address resolution; one that does not answer is asked again when it connects the next time.
  mutating func isAboutAddressResolution(
    _ event: GATTClientEvent, of link: LinkID, into out: inout HostOutput
  ) -> Bool {
    guard case .ended(let id, let outcome) = event, id == links[link].protection.resolutionQuestion else {
      return false
    }
    links[link].protection.resolutionQuestion = nil
    let answer: Bool? =
      switch outcome {
      case .success(.values(let values)): values.first?.value == [1]
      case .failure(.refused): false
      default: nil
      }
    if let answer, let peer = links[link].security.bond?.peer, var record = bondTable[peer] {
      record.resolvesAddresses = answer
      keep(record, into: &out)
    }
    return true
  }
}
