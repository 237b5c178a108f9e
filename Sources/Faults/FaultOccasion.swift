import BLEATT

/// The event that a fault waits for.
public enum FaultOccasion: Hashable, Sendable {
  /// A request or command that accesses a characteristic's value or its configuration; nil for any attribute.
  case access(FaultAccess, of: String?)
  /// A request or command with one of these opcodes, for any attribute.
  case request([ATTOpcode])
  /// A notification or indication of a characteristic is about to be sent; nil for any.
  case push(FaultPush, of: String?)
  /// A client has subscribed to a characteristic, or has unsubscribed; nil for any.
  case subscribed(String?)
  case unsubscribed(String?)
  /// A link has been made or encrypted, or has ended.
  case connected
  case encrypted
  case disconnected
  /// The central requests other connection parameters.
  case parameters
  /// Over BR/EDR, a device requests a connection, the key of its bond is needed, or it sends a request for service discovery.
  case paged
  case linkKey
  case discovery
  /// The central requests a channel, or has opened one, to the application with that id; nil for any.
  case channelRequest(String?)
  case channelOpened(String?)
  /// An SDU has been received on such a channel.
  case sdu(String?)
  /// A delay has passed since the fault was armed; happens once.
  case elapsed(Duration)
  /// A period has passed; happens repeatedly.
  case periodic(Duration)

  /// Whether it is triggered by time alone.
  public var isTime: Bool {
    switch self {
    case .elapsed, .periodic: true
    default: false
    }
  }

  /// Whether it is a request that can be refused as a whole.
  public var isRefusable: Bool {
    switch self {
    case .parameters, .paged, .linkKey, .discovery: true
    default: false
    }
  }

  /// Whether it is a client's PDU, so that the fault can alter the answer.
  public var isRequest: Bool {
    switch self {
    case .access, .request: true
    default: false
    }
  }

  /// Whether it is a PDU that this side sends on its own.
  public var isPush: Bool { if case .push = self { true } else { false } }
}

/// How a client uses an attribute.
public enum FaultAccess: String, Hashable, Sendable, CaseIterable {
  /// Reads it, with any read request.
  case read
  /// Writes it, with or without a response.
  case write
  /// Reads or writes it.
  case access
  /// Writes the Client Characteristic Configuration.
  case subscribe

  /// Returns whether a PDU with that opcode is such an access.
  public func includes(_ opcode: ATTOpcode) -> Bool {
    switch self {
    case .read: Self.reads.contains(opcode)
    case .write, .subscribe: Self.writes.contains(opcode)
    case .access: Self.reads.contains(opcode) || Self.writes.contains(opcode)
    }
  }

  private static let reads: [ATTOpcode] = [
    .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
  ]
  private static let writes: [ATTOpcode] = [
    .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
  ]
}

/// What a server sends on its own.
public enum FaultPush: String, Hashable, Sendable, CaseIterable {
  case notify, indicate, push

  /// Returns whether a PDU with that opcode is one.
  public func includes(_ opcode: ATTOpcode) -> Bool {
    switch self {
    case .notify: opcode == .handleValueNotification || opcode == .multipleHandleValueNotification
    case .indicate: opcode == .handleValueIndication
    case .push: FaultPush.notify.includes(opcode) || FaultPush.indicate.includes(opcode)
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
    case .paged: "paged"
    case .linkKey: "link-key"
    case .discovery: "service-discovery"
    case .channelRequest(let name): "channel-request \(name ?? "anything")"
    case .channelOpened(let name): "channel \(name ?? "anything")"
    case .sdu(let name): "sdu \(name ?? "anything")"
    case .elapsed(let delay): "at \(FaultAction.text(delay))"
    case .periodic(let period): "every \(FaultAction.text(period))"
    }
  }
}
