import BLECore

/// What the accessory wants of its connections.
public struct ConnectionPolicy: Hashable, Sendable {
  /// The server's receive MTU that it answers to an MTU exchange, 23...517 octets.
  public var mtu: Int
  /// The longest LE payload it offers to send, 27...251 octets.
  public var dataLength: Int
  /// How long after connecting it offers that; until then its payloads are the shortest.
  public var dataLengthDelay = Duration.zero
  /// What becomes of a central's Exchange MTU Request.
  public var mtuAnswer = MTUAnswer.accept
  /// The PHY it prefers, both ways; nil leaves it to the central.
  public var preferredPHY: PHY?
  /// Connection parameters it asks for after connecting; nil takes what the central chose.
  public var parameterRequest: ParameterRequest?
  /// How many centrals may be connected at once; connectable advertising goes on until that many are.
  public var maximumConnections: Int
  /// How many packets of data the controller may send before the host has taken them, where the controller has flow control
  /// (Core 5.4 Vol 4 Part E 4.2), 0...65535; zero leaves it off.
  public var hostBuffers: Int

  /// The version of the specification that it behaves as if it were of; nil for what the controller is.
  public var actsAs: ActedVersion?
  /// The PHYs that it goes over to when a central asks; nil for all that the controller has.
  public var allowedPHYs: [PHY]?
  /// What becomes of a central's request for other connection parameters.
  public var parameterAnswer = ParameterAnswer.accept
  /// How long after that request it is accepted or refused.
  public var parameterDelay = Duration.zero

  /// What becomes of an Exchange MTU Request (Core 5.4 Vol 3 Part F 3.4.2).
  public enum MTUAnswer: Hashable, Sendable {
    /// It is answered.
    case accept
    /// It is answered that long after it came.
    case late(Duration)
    /// It is refused with Request Not Supported, so that the MTU stays 23.
    case refuse
    /// Nobody answers, so that the central's transaction times out after 30 s, and with it the bearer (3.3.3).
    case ignore
  }

  /// What becomes of a request for other connection parameters by the link layer (Core 5.4 Vol 6 Part B 5.1.7).
  public enum ParameterAnswer: Hashable, Sendable {
    /// They are taken.
    case accept
    /// They are taken when both intervals lie within these.
    case acceptWithin(ClosedRange<Duration>)
    /// They are refused.
    case reject
    /// Nobody answers, so that the central's procedure times out after 40 s, and with it the link (5.2).
    case ignore
  }

  /// So many packets of 251 octets that all of them can lie on a serial line whose buffer is 64 KiB, while nobody comes to
  /// read them.
  public static let usualHostBuffers = 64

  /// A policy.
  public init(
    mtu: Int = 517, dataLength: Int = 251, preferredPHY: PHY? = .le2M, parameterRequest: ParameterRequest? = nil,
    maximumConnections: Int = 1, hostBuffers: Int = ConnectionPolicy.usualHostBuffers
  ) {
    self.mtu = mtu
    self.dataLength = dataLength
    self.preferredPHY = preferredPHY
    self.parameterRequest = parameterRequest
    self.maximumConnections = maximumConnections
    self.hostBuffers = hostBuffers
  }

  /// Connection parameters and when to ask for them (Core 5.4 Vol 3 Part A 4.20).
  public struct ParameterRequest: Hashable, Sendable {
    /// The shortest and longest connection interval, 7.5 ms ... 4 s, in steps of 1.25 ms.
    public var intervals: ClosedRange<Duration>
    /// How many connection events the peripheral may skip, 0...499.
    public var latency: Int
    /// The supervision timeout, 100 ms ... 32 s, in steps of 10 ms.
    public var timeout: Duration
    /// How long after the connection the request is sent.
    public var delay: Duration

    /// A request.
    public init(intervals: ClosedRange<Duration>, latency: Int = 0, timeout: Duration, delay: Duration) {
      self.intervals = intervals
      self.latency = latency
      self.timeout = timeout
      self.delay = delay
    }
  }
}

/// Under which address the accessory is known.
public enum IdentityPolicy: Hashable, Sendable {
  /// A random static address derived from a text, the same at every start.
  case derivedStatic(from: String)
  /// This random static address.
  case fixedStatic(DeviceAddress)
  /// The controller's own public address.
  case publicAddress
}
