import BLECore
import BLEGAP
import BLEHCI

/// A host's settings for all its links.
public struct LinkPolicy: Hashable, Sendable {
  /// The longest ATT PDU that this side receives, 23...517 octets.
  public var mtu: Int
  /// The longest LE payload for which it asks the controller on a new link, 27...251 octets.
  public var dataLength: Int
  /// The delay between the connection and that request.
  public var dataLengthDelay = Duration.zero
  /// The answer to a peer's Exchange MTU Request.
  public var mtuAnswer = ConnectionPolicy.MTUAnswer.accept
  /// The preferred PHY in both directions; nil leaves it to the peer.
  public var preferredPHY: PHY?
  /// The connection parameters that a peripheral requests; nil for none.
  public var parameterRequest: ConnectionPolicy.ParameterRequest?
  /// The maximum number of enhanced ATT bearers of a link (Core 5.4 Vol 3 Part G 5.3); none by default.
  public var enhancedBearers = 0
  /// Whether this side opens them as soon as the link is encrypted and the peer's client has reported that it supports them.
  public var opensEnhancedBearers = false
  /// The answer to a peer's request for other connection parameters.
  public var parameterPolicy = ParameterPolicy.accept
  /// The delay of the answer to such a request of the link layer.
  public var parameterDelay = Duration.zero
  /// The security settings for its links.
  public var security = SecurityPolicy()
  /// Whether frames on channels without a receiver are passed to the owner, as for a tester; otherwise they are faults.
  public var handsOnUnclaimedFrames = false
  /// Whether the frames of all channels but the Security Manager's are passed to the owner, as for a proxy, who sends the answers. Requests for
  /// connection parameters are still answered here, because they concern only this link.
  public var relaysFrames = false
  /// Whether the beginning of each operation of a client is reported, with its number.
  public var reportsClientBeginnings = false
  /// Whether the controller's refusals of commands about links are reported.
  public var reportsRefusals = false

  /// Creates a policy.
  public init(mtu: Int, dataLength: Int, preferredPHY: PHY?) {
    self.mtu = mtu
    self.dataLength = dataLength
    self.preferredPHY = preferredPHY
  }

  /// The answer to a request for other connection parameters by L2CAP signalling (Core 5.4 Vol 3 Part A 4.20) or by the link layer
  /// (Vol 6 Part B 5.1.7).
  public enum ParameterPolicy: Hashable, Sendable {
    /// Accepts all parameters that the specification allows.
    case accept
    /// Accepts them if both intervals are within this range.
    case acceptWithin(ClosedRange<Duration>)
    /// Accepts them if they meet these rules.
    case acceptMeeting(ParameterRules)
    /// Refuses them.
    case reject
    /// Does not answer a request of the link layer; refuses one by signalling.
    case ignore
  }
}
