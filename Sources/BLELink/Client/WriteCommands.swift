import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// Streams of Write Commands (Core 5.4 Vol 3 Part F 3.4.5.3), and how far they have come.
extension HostEngine {
  /// Sends a Write Command straight into the output run. False when `backlog` PDUs wait on the link (`readyForMore` then says
  /// when to go on), when there is no such link, or when the value does not fit its MTU.
  package mutating func sendWriteCommand(
    _ value: Span<UInt8>, to attribute: UInt16, on handle: ConnectionHandle, backlog: Int, into out: inout HostOutput
  ) -> Bool {
    guard let link = links.id(of: handle) else { return false }
    guard hasRoom(handle, backlog: backlog) else {
      links[link].roomWanted = backlog
      return false
    }
    makeClient(of: link)
    var fits = false
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      fits = links[link].client?.appendWriteCommand(value, to: attribute, into: &buffer) ?? false
    }
    return fits
  }

  /// Whether fewer PDUs than `backlog` wait on a link.
  package func hasRoom(_ handle: ConnectionHandle, backlog: Int) -> Bool {
    scheduler.queuedPDUs(handle) < max(1, backlog)
  }

  /// Reports links that take write commands again.
  mutating func reportRoom(into out: inout HostOutput) {
    for link in links.ids {
      guard let backlog = links[link].roomWanted, hasRoom(links[link].handle, backlog: backlog) else { continue }
      links[link].roomWanted = nil
      out.events.append(.readyForMore(links[link].handle))
    }
  }

  /// How many packets the controller could take now.
  public var freePackets: Int { scheduler.freePackets }

  /// How far the controller has come with a link's packets.
  public func progress(of handle: ConnectionHandle) -> SendingProgress {
    SendingProgress(
      completed: scheduler.completedPackets(handle), outstanding: scheduler.outstandingPackets(handle),
      waiting: scheduler.queuedPDUs(handle))
  }
}

/// How far a link's packets have come.
public struct SendingProgress: Hashable, Sendable {
  /// How many ACL packets the controller has reported completed since the link began: the peer has acknowledged them.
  public var completed: Int
  /// How many ACL packets the controller has and has not reported completed.
  public var outstanding: Int
  /// How many L2CAP PDUs wait for the controller, wholly or in part.
  public var waiting: Int

  /// A state of sending.
  public init(completed: Int, outstanding: Int, waiting: Int) {
    self.completed = completed
    self.outstanding = outstanding
    self.waiting = waiting
  }

  /// Whether the peer has acknowledged everything.
  public var isIdle: Bool { outstanding == 0 && waiting == 0 }
}
