import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP

/// The application behind the attributes and the channels. The input decides how it answers.
struct FuzzApplication: AttributeApplication, ChannelApplication {
  /// How it answers; each octet means another way.
  var mood: UInt8 = 0
  /// The tickets that it gave and that nobody has answered or cancelled.
  private(set) var openTickets: [AnswerTicket] = []
  private var lastTicket: UInt64 = 0
  /// How many messages there are for clients.
  private var messages = 0
  private(set) var nextDeadline: Instant?

  private mutating func ticket() -> AnswerTicket {
    lastTicket += 1
    openTickets.append(AnswerTicket(lastTicket))
    return AnswerTicket(lastTicket)
  }

  /// Removes and returns the ticket at that place, which wraps around. Returns nil when there is none.
  mutating func takeTicket(_ place: Int) -> AnswerTicket? {
    openTickets.isEmpty ? nil : openTickets.remove(at: place % openTickets.count)
  }

  // MARK: Attributes

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    switch mood & 3 {
    case 0: .value([UInt8](repeating: UInt8(truncatingIfNeeded: characteristic.position), count: 4))
    case 1: .value([UInt8](repeating: mood, count: 512 - Int(mood)))
    case 2: .later(ticket())
    default: .error(.unlikelyError)
    }
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    switch mood >> 2 & 3 {
    case 0: .accepted
    case 1:
      WriteAnswer(actions: [
        .notify(characteristic), .notify(CharacteristicIndex(1)), .indicate(CharacteristicIndex(2)),
        .store(CharacteristicIndex(0), value),
      ])
    case 2: .later(ticket())
    default: WriteAnswer(error: ATTErrorCode(rawValue: 0x80))
    }
  }

  mutating func authorize(
    _ request: ChannelAuthorizationRequest, for client: ClientID, at now: Instant
  ) -> ChannelAuthorizationAnswer {
    switch mood >> 4 & 3 {
    case 0, 1: .granted
    case 2: .ask(ticket())
    default: .refused
    }
  }

  mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer {
    switch mood >> 4 & 3 {
    case 0, 1: .granted
    case 2: .ask(ticket())
    default: .refused
    }
  }

  mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {
    openTickets.removeAll { $0 == ticket }
  }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {
    nextDeadline = notified + indicated > 0 ? now + .seconds(1) : nil
    if indicated > 0 { actions.append(.indicate(characteristic)) }
  }

  // MARK: Messages, and the peer's own server

  var hasMessages: Bool { messages > 0 }

  mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage? {
    guard messages > 0 else { return nil }
    messages -= 1
    return ClientMessage(
      characteristic: CharacteristicIndex(1), value: [UInt8](repeating: 1, count: min(limit, 40)),
      isIndication: messages.isMultiple(of: 2))
  }

  mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction]
  ) {
    guard mood & 0x80 != 0, case .notification(let handle, _) = event else { return }
    messages = min(messages + 3, 30)
    actions.append(.notify(CharacteristicIndex(1)))
    client.perform(.read(handle), at: now, into: &out)
  }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {
    nextDeadline = now + .seconds(1)
    actions += [
      .notify(CharacteristicIndex(1)), .notify(CharacteristicIndex(3)), .indicate(CharacteristicIndex(2)),
    ]
  }

  // MARK: Channels

  mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    guard mood & 0x40 == 0 else { return .forwarded }
    if channels.send(sdu, on: channel) == .full { channels.hold(channel) }
    return .taken
  }

  mutating func channelMaySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    channels.hold(channel, false)
    return .taken
  }
}
