import BLECore
import BLEHCI

/// Names a link of a host while one input is dealt with. It never names another link.
struct LinkID: Hashable, Sendable {
  fileprivate let place: Int
  fileprivate let sweep: UInt32
}

/// The links of a host.
///
/// A link that ends keeps its place, and everything that was known of it, until `sweep`: whoever was at work on it goes on, and what it
/// does leads nowhere. After that its identity names a link that is none, which is closed and has no peer.
struct LinkTable: Sendable {
  /// The link that is none, then all others in the order in which they were made.
  private var entries: [Link] = [.none]
  /// The places of links that have ended since the last sweep.
  private var ended: [Int] = []
  private var sweeps: UInt32 = 0
  /// The place of the link that had its turn last.
  private var turn = 0

  /// How many links there are.
  var count: Int { entries.count - 1 - ended.count }

  var isEmpty: Bool { count == 0 }

  subscript(link: LinkID) -> Link {
    get { entries[place(of: link)] }
    _modify { yield &entries[place(of: link)] }
  }

  private func place(of link: LinkID) -> Int { link.sweep == sweeps ? link.place : 0 }

  /// The links that are there when the iteration begins.
  var ids: IDs { IDs(place: 0, end: entries.count, ended: ended, sweep: sweeps) }

  /// The link with that connection handle. A link that has ended does not have it any longer.
  func id(of handle: ConnectionHandle) -> LinkID? {
    for place in entries.indices.dropFirst() where entries[place].handle == handle && !entries[place].hasEnded {
      return LinkID(place: place, sweep: sweeps)
    }
    return nil
  }

  /// Adds a link.
  mutating func add(_ link: Link) -> LinkID {
    entries.append(link)
    return LinkID(place: entries.count - 1, sweep: sweeps)
  }

  /// A link has ended.
  mutating func end(_ link: LinkID) {
    let place = place(of: link)
    guard place > 0, !entries[place].hasEnded else { return }
    entries[place].hasEnded = true
    entries[place].isClosing = true
    ended.append(place)
  }

  /// Takes out the links that have ended. From now on identities from before name none.
  mutating func sweep() {
    guard !ended.isEmpty else { return }
    for place in ended.sorted(by: >) { entries.remove(at: place) }
    ended = []
    sweeps &+= 1
  }

  /// The next link in turn; nil when there is none.
  mutating func next() -> LinkID? {
    guard !isEmpty else { return nil }
    repeat { turn = turn + 1 < entries.count ? turn + 1 : 1 } while entries[turn].hasEnded
    return LinkID(place: turn, sweep: sweeps)
  }

  /// Identities one after the other.
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
