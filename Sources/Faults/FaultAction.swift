import BLEATT
import BLECore

/// What a fault does.
public enum FaultAction: Hashable, Sendable {
  // MARK: Answers to requests

  /// Refuses the request, with that handle, or with the one in the request.
  case refuse(ATTErrorCode, handle: UInt16?)
  /// Defers the request: the server does not process it before the delay has passed.
  case delay(Duration)
  /// Ignores the request, of any kind.
  case ignore
  /// Sends the answer this many times.
  case repeatAnswer(Int)
  /// Alters the answer or the value.
  case alter(FaultAlteration)
  /// Reports that server MTU, and uses it.
  case mtu(Int)

  // MARK: Notifications and indications

  /// Does not send it.
  case drop
  /// Sends it this many times.
  case repeatPush(Int)
  /// Sends it after the next one of the same attribute.
  case reorder
  /// Sends it after the delay.
  case holdBack(Duration)
  /// Keeps sending the last value, this many times in all, although the client has unsubscribed.
  case keepSending(Int, every: Duration)

  // MARK: Links

  /// Disconnects before the request is processed, after it is processed but before it is answered, or after the answer.
  case disconnect(ErrorCode, FaultMoment)
  /// Ignores all attribute requests on this link from now on.
  case mute
  /// Refuses the central's connection parameters; over BR/EDR its connection, its service discovery, or the use of its key.
  case decline
  /// Refuses the central's channel with that result code.
  case refuseChannel(UInt16)
  /// Requests a change this many times, at that interval.
  case flood(FaultFlood, Int, every: Duration)

  // MARK: Channels

  /// Gives the peer no more credits.
  case withholdCredits
  /// Gives the peer more credits than the maximum (Core 5.4 Vol 3 Part A 10.1).
  case overflowCredits
  /// Sends an invalid frame.
  case badFrame(FaultFrame)
  /// Closes the channel.
  case closeChannel

  // MARK: The database

  /// Removes the service with that id; without one, adds an unknown service, or removes it again.
  case changeDatabase(removing: String?, isAnnounced: Bool)
  /// Indicates Service Changed this many times, each as soon as the previous one is confirmed.
  case serviceChanged(Int)

  // MARK: Keys

  /// Deletes the bond with the peer, or all bonds where there is no link.
  case forgetKeys
  /// Changes the stored keys to values that differ from the peer's.
  case corruptKeys

  // MARK: The whole accessory

  /// Disappears silently for that long, and returns unchanged.
  case vanish(Duration)
  /// Restarts, which takes that long: values are reset to the initial ones, bonds are kept.
  case reboot(Duration)
  /// Resets its controller.
  case resetController
  /// Sets its clock forward, or back if negative.
  case shiftClock(Duration)
  /// Advertises data other than the profile's.
  case advertise(FaultAdvertising)
}

/// When a link ends, relative to a request.
public enum FaultMoment: String, Hashable, Sendable, CaseIterable {
  case before, during, after
}

/// What is wrong with a PDU.
public enum FaultAlteration: Hashable, Sendable {
  /// Only this many octets are sent, including the opcode.
  case truncate(Int)
  /// It is padded with zeros to this many octets, whatever the MTU.
  case lengthen(Int)
  /// All bits after its opcode, and after the handle if there is one, are inverted.
  case corrupt
  /// It answers a different request.
  case wrongRequest
  /// A read response, a notification or an indication has this value.
  case value([UInt8])
  /// These octets are sent in its place.
  case replace([UInt8])
}

/// What an accessory can request repeatedly.
public enum FaultFlood: String, Hashable, Sendable, CaseIterable {
  /// Connection parameters, by L2CAP signalling.
  case parameters
  /// Another PHY.
  case phy
  /// Another data length.
  case dataLength = "data-length"
}

/// A K-frame that breaks the rules (Core 5.4 Vol 3 Part A 3.4.3, 10.2).
public enum FaultFrame: String, Hashable, Sendable, CaseIterable {
  /// The SDU length is above the peer's MTU.
  case tooLongSDU = "sdu-too-long"
  /// The frame has more octets than its SDU length says.
  case excess
  /// The frame is longer than the peer's MPS.
  case tooLong = "too-long"
  /// The frame begins an SDU but is too short for the SDU length.
  case short
}

/// What is wrong with an accessory's advertising.
public enum FaultAdvertising: Hashable, Sendable {
  /// The advertising data are these octets.
  case data([UInt8])
  /// The name is this one.
  case name(String)
  /// The last structure claims more octets than there are.
  case overLong
  /// A counter after the name is incremented each time.
  case changing
  /// Nothing: the accessory advertises what the profile says.
  case asDefined
}

// MARK: - Texts

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
    case .decline: "refused"
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
