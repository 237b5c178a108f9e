import BLEATT
import BLECore

/// What a fault does.
public enum FaultAction: Hashable, Sendable {
  // MARK: With the answer to a request

  /// Refuses it, naming the attribute with that handle, or the one that the request names.
  case refuse(ATTErrorCode, handle: UInt16?)
  /// Takes the request only that much later; nothing is done before.
  case delay(Duration)
  /// Takes no notice of it. Of a channel request and a parameter request too.
  case ignore
  /// Sends the answer so many times.
  case repeatAnswer(Int)
  /// Sends the answer, or the value, otherwise than it is.
  case alter(FaultAlteration)
  /// Says that the server takes so many octets, and keeps to it.
  case mtu(Int)

  // MARK: With a notification or an indication

  /// Leaves it out.
  case drop
  /// Sends it so many times.
  case repeatPush(Int)
  /// Sends it behind the next one of the same attribute.
  case reorder
  /// Sends it that much later.
  case holdBack(Duration)
  /// Goes on to send the last value, so many times in all, although nobody is subscribed any longer.
  case keepSending(Int, every: Duration)

  // MARK: With the link

  /// Ends the link: before the request is taken, when it has been taken and not answered, or behind the answer.
  case disconnect(ErrorCode, FaultMoment)
  /// Takes no notice of any attribute request on this link any longer.
  case mute
  /// Refuses what the central asks for: other connection parameters, or a channel for that reason (the result code).
  case refuseParameters
  case refuseChannel(UInt16)
  /// Asks so many times for something else, once in that while.
  case flood(FaultFlood, Int, every: Duration)

  // MARK: With a channel

  /// Gives the peer no more credits.
  case withholdCredits
  /// Gives it more than there can be (Core 5.4 Vol 3 Part A 10.1).
  case overflowCredits
  /// Sends a frame that cannot be right.
  case badFrame(FaultFrame)
  /// Closes the channel.
  case closeChannel

  // MARK: With the database

  /// Adds a service that nobody knows, or takes it away again; or takes away the service with that id.
  case changeDatabase(removing: String?, isAnnounced: Bool)
  /// Indicates Service Changed so many times, each as soon as the one before is confirmed.
  case serviceChanged(Int)

  // MARK: With keys

  /// Forgets the bond with the peer, or all bonds where there is no link.
  case forgetKeys
  /// Keeps another key than was agreed on.
  case corruptKeys

  // MARK: With the whole accessory

  /// Is gone for that long without a word, and comes back as it was.
  case vanish(Duration)
  /// Starts anew, which takes that long: values are as at the beginning, bonds are kept.
  case reboot(Duration)
  /// Resets its controller.
  case resetController
  /// Sets its clock forward, or back where that is negative.
  case shiftClock(Duration)
  /// Advertises other data than the profile says.
  case advertise(FaultAdvertising)
}

/// When a link ends in relation to a request.
public enum FaultMoment: String, Hashable, Sendable, CaseIterable {
  case before, during, after
}

/// What is wrong with a PDU.
public enum FaultAlteration: Hashable, Sendable {
  /// Only the first so many octets of it are sent, its opcode among them.
  case truncate(Int)
  /// It is filled up with zeros to so many octets, whatever the MTU.
  case lengthen(Int)
  /// All bits behind its opcode, and behind the handle where it has one, are inverted.
  case corrupt
  /// It answers another request than was asked.
  case wrongRequest
  /// It has this value: of a read response, a notification or an indication.
  case value([UInt8])
  /// This is sent in its place.
  case replace([UInt8])
}

/// What an accessory can ask for again and again.
public enum FaultFlood: String, Hashable, Sendable, CaseIterable {
  /// Connection parameters, by signalling.
  case parameters
  /// Another PHY.
  case phy
  /// Another data length.
  case dataLength = "data-length"
}

/// A K-frame that breaks the rules (Core 5.4 Vol 3 Part A 3.4.3, 10.2).
public enum FaultFrame: String, Hashable, Sendable, CaseIterable {
  /// Its SDU length is above the peer's MTU.
  case tooLongSDU = "sdu-too-long"
  /// It has more octets than its SDU length says.
  case excess
  /// It is above the peer's MPS.
  case tooLong = "too-long"
  /// It begins an SDU and lacks its length.
  case short
}

/// What is wrong with what an accessory advertises.
public enum FaultAdvertising: Hashable, Sendable {
  /// These are its data.
  case data([UInt8])
  /// It has another name.
  case name(String)
  /// Its last structure claims more octets than there are.
  case overLong
  /// A counter behind the name goes up each time.
  case changing
  /// What the profile says.
  case asDefined
}
