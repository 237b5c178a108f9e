import BLECore

extension FaultAction {
  /// What the fault does, in words, for the event that reports it.
  public var text: String {
    switch self {
    case .refuse(let error, _): "refused: \(error)"
    case .delay(let delay): "executed \(Self.text(delay)) later"
    case .ignore: "ignored"
    case .repeatAnswer(let count): "answered \(count) times"
    case .alter(let alteration): alteration.text
    case .mtu(let mtu): "an MTU of \(mtu)"
    case .drop: "not sent"
    case .repeatPush(let count): "sent \(count) times"
    case .reorder: "sent after the next one"
    case .holdBack(let delay): "sent \(Self.text(delay)) later"
    case .keepSending(let count, let pause): "sent \(count) more times, every \(Self.text(pause))"
    case .disconnect(let reason, let moment): "disconnected \(moment.rawValue) the answer: \(reason)"
    case .mute: "ignores the central from now on"
    case .refuseParameters: "connection parameters refused"
    case .refuseChannel(let result): "channel refused with result \(result)"
    case .flood(let kind, let count, let pause): "requests \(kind.rawValue) \(count) times, every \(Self.text(pause))"
    case .withholdCredits: "gives no more credits"
    case .overflowCredits: "gives more credits than the maximum"
    case .badFrame(let kind): "sent an invalid frame: \(kind.rawValue)"
    case .closeChannel: "channel closed"
    case .changeDatabase(let service?, let isAnnounced):
      "service \(service) removed\(isAnnounced ? "" : " without notice")"
    case .changeDatabase(nil, let isAnnounced): "services changed\(isAnnounced ? "" : " without notice")"
    case .serviceChanged(let count): "indicates Service Changed \(count) times"
    case .forgetKeys: "keys forgotten"
    case .corruptKeys: "has a wrong key"
    case .vanish(let duration): "gone for \(Self.text(duration))"
    case .reboot(let duration): "restarts, which takes \(Self.text(duration))"
    case .resetController: "controller reset"
    case .shiftClock(let shift): "clock set by \(Self.text(shift))"
    case .advertise(let advertising): advertising.text
    }
  }

  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.inNanoseconds / 1_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension FaultAlteration {
  fileprivate var text: String {
    switch self {
    case .truncate(let count): "truncated to \(count) octets"
    case .lengthen(let count): "padded to \(count) octets"
    case .corrupt: "sent with inverted bits"
    case .wrongRequest: "sent as the answer to another request"
    case .value(let octets): "sent with the value \(octets.hexadecimal)"
    case .replace(let octets): "replaced by \(octets.hexadecimal)"
    }
  }
}

extension FaultAdvertising {
  fileprivate var text: String {
    switch self {
    case .data: "advertises other data"
    case .name(let name): "advertises the name \(name)"
    case .overLong: "advertises a structure that is longer than its data"
    case .changing: "advertises a name that has changed"
    case .asDefined: "advertises what the profile says"
    }
  }
}

extension FaultOccasion {
  /// The event, in words.
  public var text: String {
    switch self {
    case .access(let access, let name): "\(access.rawValue) \(name ?? "anything")"
    case .request(let opcodes): opcodes.map { "\($0)" }.joined(separator: ", ")
    case .push(let push, let name): "\(push.rawValue) \(name ?? "anything")"
    case .subscribed(let name): "subscribed \(name ?? "anything")"
    case .unsubscribed(let name): "unsubscribed \(name ?? "anything")"
    case .connected: "connected"
    case .encrypted: "encrypted"
    case .disconnected: "disconnected"
    case .parameters: "parameters"
    case .channelRequest(let name): "channel-request \(name ?? "anything")"
    case .channelOpened(let name): "channel \(name ?? "anything")"
    case .sdu(let name): "sdu \(name ?? "anything")"
    case .elapsed(let delay): "at \(FaultAction.text(delay))"
    case .periodic(let period): "every \(FaultAction.text(period))"
    }
  }
}
