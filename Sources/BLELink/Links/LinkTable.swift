import BLECore
import BLEHCI

/// The identity of a link of a host while one input is processed. It never refers to another link.
struct LinkID: Hashable, Sendable {
  fileprivate let place: Int
  fileprivate let sweep: UInt32
}

/// The links of a host.
///
/// A link that ends keeps its place and all its data until `sweep`, so that code that is working on it can continue, without effect.
/// Afterwards its identity refers to a placeholder, which is closed and has no peer.
///
/// What happens seldom is never inlined: the compiler then specializes the functions of `HostEngine` that call it for other modules, too.
/// Otherwise they stay generic there, and a write command costs half as much again.
struct LinkTable: Sendable {
  /// The placeholder, then all links in the order in which they were made.
  private var entries: [Link] = [.none]
  /// The places of links that have ended since the last sweep.
  private var ended: [Int] = []
  private var sweeps: UInt32 = 0
  /// The place of the link that was last returned by `next`.
  private var turn = 0

  /// The number of links.
  var count: Int { entries.count - 1 - ended.count }

  var isEmpty: Bool { count == 0 }

  /// Returns the number of links over a transport.
  @inline(never)
  func count(over transport: LinkTransport) -> Int {
    entries.dropFirst().count { !$0.hasEnded && $0.details.transport == transport }
  }

  subscript(link: LinkID) -> Link {
    get { entries[place(of: link)] }
    _modify { yield &entries[place(of: link)] }
  }

  private func place(of link: LinkID) -> Int { link.sweep == sweeps ? link.place : 0 }

  /// The links that exist when the iteration begins.
  var ids: IDs { IDs(place: 0, end: entries.count, ended: ended, sweep: sweeps) }

  /// Returns the link with that connection handle. A link that has ended no longer has one.
  func id(of handle: ConnectionHandle) -> LinkID? {
    for place in entries.indices.dropFirst() where entries[place].handle == handle && !entries[place].hasEnded {
      return LinkID(place: place, sweep: sweeps)
    }
    return nil
  }

  /// Adds a link.
  @inline(never)
  mutating func add(_ link: Link) -> LinkID {
    entries.append(link)
    return LinkID(place: entries.count - 1, sweep: sweeps)
  }

  /// Marks a link as ended.
  @inline(never)
  mutating func end(_ link: LinkID) {
    let place = place(of: link)
    guard place > 0, !entries[place].hasEnded else { return }
    entries[place].phase = .ended
    ended.append(place)
  }

  /// Removes the links that have ended. Earlier identities now refer to the placeholder.
  mutating func sweep() {
    if !ended.isEmpty { removeEnded() }
  }

  @inline(never)
  private mutating func removeEnded() {
    for place in ended.sorted(by: >) { entries.remove(at: place) }
    ended = []
    sweeps &+= 1
  }

  /// Returns the next link in turn; nil if there is none.
  mutating func next() -> LinkID? {
    guard !isEmpty else { return nil }
    repeat { turn = turn + 1 < entries.count ? turn + 1 : 1 } while entries[turn].hasEnded
    return LinkID(place: turn, sweep: sweeps)
  }

  /// A sequence of identities.
  struct IDs: Sequence, IteratorProtocol {
    fileprivate var place: Int
    fileprivate let end: Int
    fileprivate let ended: [Int]
    fileprivate let sweep: UInt32

    mutating func next() -> LinkID? {
      repeat { place += 1 } while place < end && ended.contains(place)
      return place < end ? LinkID(place: place, sweep: sweep) : nil
    }
  }
}
