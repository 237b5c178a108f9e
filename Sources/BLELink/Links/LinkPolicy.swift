import BLECore
import BLEGAP
import BLEHCI

/// What a host wants of all its links.
public struct LinkPolicy: Hashable, Sendable {
  /// The longest ATT PDU that this side receives, 23...517 octets.
  public var mtu: Int
  /// The longest LE payload that it offers to send as soon as a link is there, 27...251 octets.
  public var dataLength: Int
  /// How long after the link is there it offers that.
  public var dataLengthDelay = Duration.zero
  /// What becomes of a peer's Exchange MTU Request.
  public var mtuAnswer = ConnectionPolicy.MTUAnswer.accept
  /// The PHY that it prefers, both ways; nil leaves it to the peer.
  public var preferredPHY: PHY?
  /// The connection parameters that a peripheral asks for; nil for none.
  public var parameterRequest: ConnectionPolicy.ParameterRequest?
  /// How many enhanced ATT bearers a link may have (Core 5.4 Vol 3 Part G 5.3); none by default.
  public var enhancedBearers = 0
  /// Whether this side opens them as soon as the link is encrypted and the peer's client has said that it takes them.
  public var opensEnhancedBearers = false
  /// What becomes of a peer's request for other connection parameters.
  public var parameterPolicy = ParameterPolicy.accept
  /// How long after such a request by the link layer it is answered.
  public var parameterDelay = Duration.zero
  /// What it wants of the security of its links.
  public var security = SecurityPolicy()
  /// Whether frames on channels that nobody listens to are handed to the owner, as a tester wants it; else they are faults.
  public var handsOnUnclaimedFrames = false
  /// Whether the number of a client's operation is reported when it begins.
  public var reportsClientBeginnings = false
  /// Whether commands about links that the controller refuses are reported.
  public var reportsRefusals = false

  /// A policy.
  public init(mtu: Int, dataLength: Int, preferredPHY: PHY?) {
    self.mtu = mtu
    self.dataLength = dataLength
    self.preferredPHY = preferredPHY
  }

  /// What becomes of a request for other connection parameters, by signalling (Core 5.4 Vol 3 Part A 4.20) or by the link layer
  /// (Vol 6 Part B 5.1.7).
  public enum ParameterPolicy: Hashable, Sendable {
    /// They are taken as long as they are allowed.
    case accept
    /// They are taken when both intervals lie within these.
    case acceptWithin(ClosedRange<Duration>)
    /// They are refused.
    case reject
    /// A request by the link layer is not answered; one by signalling is refused.
    case ignore
  }
}
