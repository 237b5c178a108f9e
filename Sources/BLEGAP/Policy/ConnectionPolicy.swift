import BLECore

/// The accessory's preferences for its connections.
public struct ConnectionPolicy: Hashable, Sendable {
  /// The receive MTU in the server's Exchange MTU Response, 23...517 octets.
  public var mtu: Int
  /// The longest LE payload that the accessory offers to send, 27...251 octets.
  public var dataLength: Int
  /// How long after connecting the accessory offers `dataLength`. Until then it sends payloads of at most 27 octets.
  public var dataLengthDelay = Duration.zero
  /// How the accessory responds to a central's Exchange MTU Request.
  public var mtuAnswer = MTUAnswer.accept
  /// The preferred PHY in both directions; nil leaves the choice to the central.
  public var preferredPHY: PHY?
  /// The connection parameters to request after connecting; nil accepts those that the central chose.
  public var parameterRequest: ParameterRequest?
  /// The maximum number of simultaneous connections. Connectable advertising continues until it is reached.
  public var maximumConnections: Int
  /// The number of data packets that the controller may send before the host has processed them, where the controller supports flow
  /// control (Core 5.4 Vol 4 Part E 4.2), 0...65535; zero disables it.
  public var hostBuffers: Int

  /// The version of the specification to imitate; nil for the controller's own.
  public var actsAs: ActedVersion?
  /// The PHYs that the accessory accepts when a central requests a change; nil for all that the controller supports.
  public var allowedPHYs: [PHY]?
  /// How the accessory responds to a central's request for other connection parameters.
  public var parameterAnswer = ParameterAnswer.accept
  /// The delay before that request is accepted or rejected.
  public var parameterDelay = Duration.zero

  /// The response to an Exchange MTU Request (Core 5.4 Vol 3 Part F 3.4.2).
  public enum MTUAnswer: Hashable, Sendable {
    /// Answers at once.
    case accept
    /// Answers after this delay.
    case late(Duration)
    /// Refuses with Request Not Supported, so the MTU stays 23.
    case refuse
    /// Does not answer. The central's transaction times out after 30 s, and the bearer is unusable from then on (3.3.3).
    case ignore
  }

  /// The response to a link layer request for other connection parameters (Core 5.4 Vol 6 Part B 5.1.7).
  public enum ParameterAnswer: Hashable, Sendable {
    /// Accepts the parameters.
    case accept
    /// Accepts the parameters if both intervals lie within this range.
    case acceptWithin(ClosedRange<Duration>)
    /// Rejects the parameters.
    case reject
    /// Does not answer. The central's procedure times out after 40 s, and the link ends (5.2).
    case ignore
  }

  /// The default of `hostBuffers`: this many packets of 251 octets fit into a serial line's buffer of 64 KiB while nothing reads them.
  public static let usualHostBuffers = 64

  /// Creates a policy.
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

  /// Connection parameters, and when to request them (Core 5.4 Vol 3 Part A 4.20).
  public struct ParameterRequest: Hashable, Sendable {
    /// The range of connection intervals: 7.5 ms ... 4 s, in steps of 1.25 ms.
    public var intervals: ClosedRange<Duration>
    /// The number of connection events that the peripheral may skip, 0...499.
    public var latency: Int
    /// The supervision timeout: 100 ms ... 32 s, in steps of 10 ms.
    public var timeout: Duration
    /// How long after connecting the request is sent.
    public var delay: Duration

    /// Creates a request.
    public init(intervals: ClosedRange<Duration>, latency: Int = 0, timeout: Duration, delay: Duration) {
      self.intervals = intervals
      self.latency = latency
      self.timeout = timeout
      self.delay = delay
    }
  }
}

/// The address by which the accessory is known.
public enum IdentityPolicy: Hashable, Sendable {
  /// A random static address derived from this text, the same at every start.
  case derivedStatic(from: String)
  /// This random static address.
  case fixedStatic(DeviceAddress)
  /// The controller's own public address.
  case publicAddress
}
