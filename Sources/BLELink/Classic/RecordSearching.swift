import BLECore
import BLEHCI
import BLEL2CAP
import BLESDP

/// The reason why a search of a peer's service records has no answer.
public enum RecordSearchFailure: Error, Hashable, Sendable {
  /// The channel to the peer's server could not be opened, or has ended.
  case noChannel(ClassicChannelClosure)
  /// The server refused the query, or its answer is not valid.
  case failed(SDPClient.Failure)
  /// The server did not answer in time.
  case unanswered
}

/// A search of a peer's service records, on a channel of its own (Core 5.4 Vol 3 Part B 4).
struct RecordSearch: Sendable {
  let channel: ChannelID
  let query: SDPClient.Query
  /// When the server must have answered, whatever it sends meanwhile. The specification has no such time.
  let deadline: Instant
  var client = SDPClient()

  /// The time that a search may take.
  static let limit = Duration.seconds(30)
}

extension HostEngine {
  /// Searches the service records of a link's peer. The event `serviceRecords` reports the answer.
  package mutating func searchRecords(
    _ query: SDPClient.Query, on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existingClassic(handle)
    guard links[link].classic?.search == nil else { throw .alreadySearching(handle) }
    guard let channel = links[link].classic?.channels.open(.serviceDiscovery) else { throw .noFreeChannel(handle) }
    links[link].classic?.search = RecordSearch(channel: channel, query: query, deadline: out.now + RecordSearch.limit)
  }

  /// Sends the query on the channel, which is open now.
  mutating func searchRecords(on status: ClassicChannelStatus, of link: LinkID, into out: inout HostOutput) {
    guard let query = links[link].classic?.search?.query, links[link].classic?.search?.channel == status.id else {
      return
    }
    do throws(SDPClient.Failure) {
      try links[link].classic?.search?.client.ask(query, mtu: status.sendMTU, into: &out.bearer)
      sendDiscovery(on: status.id, of: link, into: &out)
    } catch {
      endSearch(.failure(.failed(error)), on: status.id, of: link, into: &out)
    }
  }

  /// Handles a PDU of the peer's server.
  mutating func receiveRecords(_ pdu: Span<UInt8>, of link: LinkID, into out: inout HostOutput) {
    guard let channel = links[link].classic?.search?.channel else { return }
    switch links[link].classic?.search?.client.receive(pdu, next: &out.bearer) {
    case .continued: sendDiscovery(on: channel, of: link, into: &out)
    case .answered(let answer): endSearch(.success(answer), on: channel, of: link, into: &out)
    case .failed(let failure): endSearch(.failure(.failed(failure)), on: channel, of: link, into: &out)
    case .ignored, nil: break
    }
  }

  /// Ends a search that takes too long.
  mutating func advanceSearch(of link: LinkID, into out: inout HostOutput) {
    guard let search = links[link].classic?.search, search.deadline <= out.now else { return }
    endSearch(.failure(.unanswered), on: search.channel, of: link, into: &out)
  }

  /// Reports the result of the search on that channel, and closes the channel.
  mutating func endSearch(
    _ result: Result<SDPClient.Answer, RecordSearchFailure>, on channel: ChannelID, of link: LinkID,
    into out: inout HostOutput
  ) {
    guard links[link].classic?.search?.channel == channel else { return }
    links[link].classic?.search = nil
    out.events.append(.serviceRecords(links[link].handle, result))
    links[link].classic?.channels.abort(channel, at: out.now, events: &out.classicChannels)
    handOnClassicChannelEvents(of: link, into: &out)
  }
}
