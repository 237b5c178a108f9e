import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// Streams of Write Commands (Core 5.4 Vol 3 Part F 3.4.5.3) and their progress.
extension HostEngine {
  /// Sends a Write Command straight into the output run. Returns false if `backlog` PDUs are queued on the link (`readyForMore` then
  /// reports when there is room), if there is no such link, or if the value does not fit its MTU.
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

  /// Returns whether fewer than `backlog` PDUs are queued on a link.
  package func hasRoom(_ handle: ConnectionHandle, backlog: Int) -> Bool {
    scheduler.queuedPDUs(handle) < max(1, backlog)
  }

  /// Reports links that have room for write commands again.
  mutating func reportRoom(into out: inout HostOutput) {
    for link in links.ids {
      guard let backlog = links[link].roomWanted, hasRoom(links[link].handle, backlog: backlog) else { continue }
      links[link].roomWanted = nil
      out.events.append(.readyForMore(links[link].handle))
    }
  }

  /// The number of packets that the controller could take now.
  public var freePackets: Int { scheduler.freePackets }

  /// Returns the progress of a link's packets.
  public func progress(of handle: ConnectionHandle) -> SendingProgress {
    SendingProgress(
      completed: scheduler.completedPackets(handle), outstanding: scheduler.outstandingPackets(handle),
      waiting: scheduler.queuedPDUs(handle))
  }
}

/// The progress of a link's packets.
public struct SendingProgress: Hashable, Sendable {
  /// The number of ACL packets that the controller has reported as completed on this link: the peer has acknowledged them.
  public var completed: Int
  /// The number of ACL packets in the controller that it has not reported as completed.
  public var outstanding: Int
  /// The number of L2CAP PDUs that have not been passed to the controller, or only in part.
  public var waiting: Int

  /// Creates a state of sending.
  public init(completed: Int, outstanding: Int, waiting: Int) {
    self.completed = completed
    self.outstanding = outstanding
    self.waiting = waiting
  }

  /// Whether the peer has acknowledged everything.
  public var isIdle: Bool { outstanding == 0 && waiting == 0 }
}
