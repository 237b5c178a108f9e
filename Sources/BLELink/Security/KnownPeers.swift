import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP

/// Who a peer is, and what is kept of it (Core 5.4 Vol 3 Part C 9.4, 10.3.1.2, 10.7).
extension HostEngine {
  // MARK: - Who it is

  /// Finds the bond of a peer that has just connected, by its identity address or by resolving its private address. That it is the
  /// peer it says to be it shows by encrypting the link.
  mutating func recognizePeer(of link: LinkID) {
    let peer = links[link].details.peerIdentity
    let known =
      bonds.first { $0.peer == peer }
      ?? bonds.first { peer.isRandom && ($0.bond.resolvingKey?.resolves(peer.address) ?? false) }
    guard let known else { return }
    links[link].security.bond = known.bond
    arePeersCurrent = false
    securityChanged(of: link)
  }

  /// Finds the bond of a peer by what names its key, where its address tells nothing (Core 5.4 Vol 3 Part H 2.4.4.1).
  mutating func recognizePeer(of link: LinkID, random: UInt64, diversifier: UInt16) {
    guard random != 0 || diversifier != 0, links[link].security.bond == nil, !links[link].security.isPairing,
      let known = bonds.first(where: {
        $0.bond.keyAsPeripheral?.random == random && $0.bond.keyAsPeripheral?.diversifier == diversifier
      })
    else { return }
    links[link].security.bond = known.bond
    arePeersCurrent = false
    securityChanged(of: link)
  }

  /// The link is encrypted with the key of its bond: the peer's client gets back what was kept of it.
  mutating func bondProven(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    guard let peer = links[link].security.bond?.peer, !links[link].protection.isBondProven else { return }
    // A peer that is back before its last link has ended: from now on this link speaks for it, and the old one says its last.
    for other in links.ids where other != link && links[other].security.bond?.peer == peer {
      keepBond(of: other, into: &out)
      links[other].protection.isBondProven = false
    }
    guard let record = bonds.first(where: { $0.peer == peer }) else { return }
    links[link].protection.isBondProven = true
    application.restore(keptValues: record.values, of: links[link].handle.client, at: now)
    restore(record.gatt, to: link, at: now, into: &out)
    keepVisit(of: link, in: record, into: &out)
    askForAddressResolution(of: link, at: now, into: &out)
  }

  /// Notes that a bonded peer is here, and under which kind of address. Of the peer that was here last nothing is new.
  private mutating func keepVisit(of link: LinkID, in record: BondRecord, into out: inout HostOutput) {
    var record = record
    if bonds.contains(where: { $0.peer != record.peer && $0.recency >= record.recency }) {
      record.recency = latestRecency &+ 1
    }
    record.usesPrivateAddress = links[link].details.peerOnAirIdentity != record.peer
    guard let place = bonds.firstIndex(where: { $0.peer == record.peer }) else { return }
    // What the server keeps has perhaps changed since.
    (record.bond, record.gatt, record.values) = (bonds[place].bond, bonds[place].gatt, bonds[place].values)
    if record != bonds[place] { keep(record, into: &out) }
  }

  /// The recency of the peer that was here last.
  private var latestRecency: UInt32 { bonds.reduce(0) { max($0, $1.recency) } }

  // MARK: - What is kept

  /// Two sides have bonded: what was kept of that peer before is replaced, and so is what another link has to do with it.
  mutating func keepNewBond(_ bond: Bond, of link: LinkID, at now: Instant, into out: inout HostOutput) {
    forgetBond(with: bond.peer, except: link)
    links[link].security.bond = bond
    links[link].protection.isBondProven = true
    links[link].protection.keptRevision = links[link].session.revision
    securityChanged(of: link)
    var record = BondRecord(bond: bond, gatt: server.bondState(of: links[link].session))
    record.values = application.keptValues(of: links[link].handle.client)
    record.recency = latestRecency &+ 1
    record.usesPrivateAddress = links[link].details.peerOnAirIdentity != bond.peer
    keep(record, into: &out)
    makeRoomForBonds(keeping: bond.peer, into: &out)
    askForAddressResolution(of: link, at: now, into: &out)
  }

  /// The bonded peers that are connected.
  private var connectedPeers: Set<PeerIdentity> { Set(links.ids.compactMap { links[$0].security.bond?.peer }) }

  /// How many bonds are kept: as many as the policy says, and no more than the controller can filter by, where the role has it filter.
  private var bondLimit: Int { min(policy.security.pairing.maximumBonds, role.bondLimit ?? .max) }

  /// Whether a pairing on a link may end with a bond.
  func hasRoomForBond(of link: LinkID) -> Bool {
    policy.security.pairing.replacesBonds || bonds.count < bondLimit || links[link].security.bond != nil
  }

  /// Removes the bonds that are too many: those whose peers were here least recently, of peers that are not connected first.
  private mutating func makeRoomForBonds(keeping peer: PeerIdentity, into out: inout HostOutput) {
    guard bonds.count > max(1, bondLimit) else { return }
    let connected = connectedPeers
    let candidates = bonds.filter { $0.peer != peer }.sorted {
      (connected.contains($0.peer) ? 1 : 0, $0.recency) < (connected.contains($1.peer) ? 1 : 0, $1.recency)
    }
    for record in candidates.prefix(bonds.count - max(1, bondLimit)) {
      bonds.removeAll { $0.peer == record.peer }
      forgetBond(with: record.peer)
      out.events.append(.bondRemoved(record.peer))
    }
  }

  /// Keeps what has changed of the clients with a bond since the last time.
  mutating func keepBonds(into out: inout HostOutput) {
    for link in links.ids where links[link].session.revision != links[link].protection.keptRevision {
      keepBond(of: link, into: &out)
    }
    guard application.hasNewKeptValues else { return }
    for client in application.takeClientsWithNewValues() {
      if let link = links.id(of: client.connection) { keepBond(of: link, into: &out) }
    }
  }

  /// Brings the record of a link's bond up to date with what the server and the application keep of the client. Keys and counters
  /// are in the record alone.
  mutating func keepBond(of link: LinkID, into out: inout HostOutput) {
    links[link].protection.keptRevision = links[link].session.revision
    guard links[link].protection.isBondProven, let peer = links[link].security.bond?.peer,
      let place = bonds.firstIndex(where: { $0.peer == peer })
    else { return }
    var record = bonds[place]
    record.gatt = server.bondState(of: links[link].session)
    record.values = application.keptValues(of: links[link].handle.client)
    if record != bonds[place] { keep(record, into: &out) }
  }

  /// Puts a record in the place of what is kept of that peer.
  mutating func keep(_ record: BondRecord, into out: inout HostOutput) {
    if let place = bonds.firstIndex(where: { $0.peer == record.peer }) {
      bonds[place] = record
    } else {
      bonds.append(record)
    }
    out.events.append(.bondChanged(record))
  }

  /// Takes a bond from the links that have to do with it; they stay as they are.
  mutating func forgetBond(with peer: PeerIdentity, except: LinkID? = nil) {
    for link in links.ids where link != except && links[link].security.bond?.peer == peer {
      links[link].security.bond = nil
      links[link].protection.isBondProven = false
      application.forgetKeptValues(of: links[link].handle.client)
      securityChanged(of: link)
    }
  }
}

/// What the role has to do with those who have bonded: whom it calls, and whom it answers.
extension HostEngine {
  /// Tells the role of the bonds, those that were here last in front, if anything of that has changed.
  mutating func updateRolePeers(at now: Instant, into out: inout HostOutput) {
    arePeersCurrent = true
    guard role.followsPeers else { return }
    let connected = connectedPeers
    let peers = bonds.sorted { $0.recency > $1.recency }.map { record in
      BondedPeer(record, isConnected: connected.contains(record.peer))
    }
    role.peersChanged(peers, random: &random)
    takeRoleEvents(at: now, into: &out)
  }

  /// Ends the links of those whom the role does not want, because there is no bond with them.
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

/// A bonded peer, as far as the role has to do with it.
public struct BondedPeer: Hashable, Sendable {
  /// Its identity address.
  public var address: PeerAddress
  /// What resolves its private addresses; nil when it gave no such key.
  public var resolvingKey: IdentityResolvingKey?
  /// Whether it had such an address when it was last here.
  public var usesPrivateAddress: Bool
  /// Whether advertising may be directed to such addresses.
  public var resolvesAddresses: Bool
  /// Whether it is connected now.
  public var isConnected: Bool

  /// Whether advertising may be directed to it: to a private address only if it resolves the address of such advertising (Core 5.4
  /// Vol 3 Part C 10.7.1, 12.4).
  public var canBeCalled: Bool { !isConnected && (!usesPrivateAddress || resolvesAddresses) }

  init(_ record: BondRecord, isConnected: Bool) {
    address = PeerAddress(address: record.peer.address, type: record.peer.isRandom ? .random : .publicDevice)
    resolvingKey = record.bond.resolvingKey
    usesPrivateAddress = record.usesPrivateAddress
    resolvesAddresses = record.resolvesAddresses ?? false
    self.isConnected = isConnected
  }
}

extension Bond {
  /// What resolves the peer's private addresses.
  var resolvingKey: IdentityResolvingKey? { identityResolvingKey.flatMap { IdentityResolvingKey($0) } }
}
