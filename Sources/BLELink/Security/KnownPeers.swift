import BLEATT
import BLECore
import BLECryptography
import BLEGATT
import BLEHCI
import BLESMP

/// The identity of a peer, and what is stored about it (Core 5.4 Vol 3 Part C 9.4, 10.3.1.2, 10.7).
extension HostEngine {
  // MARK: - Identity

  /// Finds the bond of a newly connected peer, by its identity address or by resolving its private address. The peer proves its identity
  /// by encrypting the link.
  mutating func recognizePeer(of link: LinkID) {
    if let known = bondTable.record(connectedFrom: links[link].details.peerIdentity) { use(known.bond, on: link) }
  }

  /// Finds the bond of a peer by the EDIV and Rand of its key, if its address is not sufficient (Core 5.4 Vol 3 Part H 2.4.4.1).
  mutating func recognizePeer(of link: LinkID, random: UInt64, diversifier: UInt16) {
    guard links[link].security.bond == nil, !links[link].security.isPairing,
      let known = bondTable.record(random: random, diversifier: diversifier)
    else { return }
    use(known.bond, on: link)
  }

  private mutating func use(_ bond: Bond, on link: LinkID) {
    links[link].security.bond = bond
    bondTable.isKnownToRole = false
    securityChanged(of: link)
  }

  /// Restores the state of the peer's client, after the link has been encrypted with the key of its bond.
  mutating func bondProven(of link: LinkID, into out: inout HostOutput) {
    guard let peer = links[link].security.bond?.peer, !links[link].protection.isBondProven else { return }
    // The peer is back before its last link has ended: this link now represents it, and the state of the old one is stored a last time.
    for other in links.ids where other != link && links[other].security.bond?.peer == peer {
      keepBond(of: other, into: &out)
      links[other].protection.isBondProven = false
    }
    guard let record = bondTable[peer] else { return }
    links[link].protection.isBondProven = true
    application.restore(keptValues: record.values, of: links[link].handle.client, at: out.now)
    restore(record.gatt, to: link, into: &out)
    // The stored state of the server may have changed by the restoration.
    let current = bondTable[peer] ?? record
    let visited = bondTable.visited(
      current, usesPrivateAddress: links[link].details.peerOnAirIdentity != record.peer)
    if visited != current { keep(visited, into: &out) }
    askForAddressResolution(of: link, into: &out)
  }

  // MARK: - Stored state

  /// Stores a new bond: it replaces the earlier bond with that peer, which is also removed from other links.
  mutating func keepNewBond(_ bond: Bond, of link: LinkID, into out: inout HostOutput) {
    let bond = bond.keepingLinkKey(of: bondTable[bond.peer]?.bond)
    forgetBond(with: bond.peer, except: link)
    links[link].security.bond = bond
    links[link].protection.isBondProven = true
    links[link].protection.keptRevision = links[link].session.revision
    securityChanged(of: link)
    var record = BondRecord(bond: bond, gatt: server.bondState(of: links[link].session))
    record.values = application.keptValues(of: links[link].handle.client)
    record.recency = bondTable.nextRecency
    record.usesPrivateAddress = links[link].details.peerOnAirIdentity != bond.peer
    keep(record, into: &out)
    makeRoomForBonds(keeping: bond.peer, into: &out)
    askForAddressResolution(of: link, into: &out)
  }

  /// The bonded peers that are connected.
  private var connectedPeers: Set<TypedAddress> { Set(links.ids.compactMap { links[$0].security.bond?.peer }) }

  /// The maximum number of bonds: that of the policy, but no more than the controller can filter by, if the role lets it filter.
  private var bondLimit: Int { min(policy.security.pairing.maximumBonds, role.bondLimit ?? .max) }

  /// Returns whether a pairing on a link may create a bond.
  func hasRoomForBond(of link: LinkID) -> Bool {
    policy.security.pairing.replacesBonds || bondTable.count < bondLimit || links[link].security.bond != nil
  }

  /// Removes excess bonds: those of peers that are not connected first, and among these the least recent first.
  private mutating func makeRoomForBonds(keeping peer: TypedAddress, into out: inout HostOutput) {
    let excess = bondTable.peers(beyond: max(1, bondLimit), keeping: peer, connected: connectedPeers)
    for peer in excess { deleteBond(of: peer, into: &out) }
  }

  /// Stores the state of bonded clients that has changed since the last time.
  mutating func keepBonds(into out: inout HostOutput) {
    for link in links.ids where links[link].session.revision != links[link].protection.keptRevision {
      keepBond(of: link, into: &out)
    }
    guard application.hasNewKeptValues else { return }
    for client in application.takeClientsWithNewValues() {
      if let link = links.id(of: client.connection) { keepBond(of: link, into: &out) }
    }
  }

  /// Updates the record of a link's bond with what the server and the application store about the client. Keys and counters exist
  /// only in the record.
  mutating func keepBond(of link: LinkID, into out: inout HostOutput) {
    links[link].protection.keptRevision = links[link].session.revision
    guard links[link].protection.isBondProven, let peer = links[link].security.bond?.peer, let known = bondTable[peer]
    else { return }
    var record = known
    record.gatt = server.bondState(of: links[link].session)
    record.values = application.keptValues(of: links[link].handle.client)
    if record != known { keep(record, into: &out) }
  }

  /// Stores a record, replacing an earlier one of that peer.
  mutating func keep(_ record: BondRecord, into out: inout HostOutput) {
    bondTable.keep(record)
    out.events.append(.bondChanged(record))
  }

  /// Removes the bond with a peer.
  mutating func deleteBond(of peer: TypedAddress, into out: inout HostOutput) {
    guard bondTable.remove(peer) else { return }
    forgetBond(with: peer)
    out.events.append(.bondRemoved(peer))
  }

  /// Removes a bond from the links that use it; their encryption is unchanged.
  mutating func forgetBond(with peer: TypedAddress, except: LinkID? = nil) {
    for link in links.ids where link != except && links[link].security.bond?.peer == peer {
      links[link].security.bond = nil
      links[link].protection.isBondProven = false
      application.forgetKeptValues(of: links[link].handle.client)
      securityChanged(of: link)
    }
  }

  // MARK: - Central Address Resolution

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

/// What the role does with bonded peers: it directs advertising to them, and filters by them.
extension HostEngine {
  /// Passes the bonded peers to the role, the most recent one first, if it needs to know them.
  mutating func updateRolePeers(into out: inout HostOutput) {
    bondTable.isKnownToRole = true
    guard role.followsPeers else { return }
    let connected = connectedPeers
    let peers = bondTable.byRecency.map { record in
      BondedPeer(record, isConnected: connected.contains(record.peer))
    }
    role.peersChanged(peers, random: &random)
    takeRoleEvents(into: &out)
  }

  /// Ends the links of peers without a bond that the role does not want.
  mutating func disconnectStrangers(into out: inout HostOutput) {
    for handle in role.linksToCheck() {
      guard let link = links.id(of: handle) else { continue }
      role.linkChecked(handle)
      guard links[link].security.bond == nil, !links[link].isClosing else { continue }
      out.events.append(.turnedAway(handle))
      disconnect(link, reason: .authenticationFailure)
    }
  }
}

/// A bonded peer, as the role needs to know it.
public struct BondedPeer: Hashable, Sendable {
  /// Its identity address.
  public var address: TypedAddress
  /// The key that resolves its private addresses; nil if it has distributed none.
  public var resolvingKey: IdentityResolvingKey?
  /// Whether it last connected with a private address.
  public var usesPrivateAddress: Bool
  /// Whether advertising may be directed to its private addresses.
  public var resolvesAddresses: Bool
  /// Whether it is connected.
  public var isConnected: Bool

  /// Whether advertising may be directed to it: with a private address, only if it resolves the addresses of such advertising (Core 5.4
  /// Vol 3 Part C 10.7.1, 12.4).
  public var canBeCalled: Bool { !isConnected && (!usesPrivateAddress || resolvesAddresses) }

  init(_ record: BondRecord, isConnected: Bool) {
    address = record.peer
    resolvingKey = record.bond.resolvingKey
    usesPrivateAddress = record.usesPrivateAddress
    resolvesAddresses = record.resolvesAddresses ?? false
    self.isConnected = isConnected
  }
}
