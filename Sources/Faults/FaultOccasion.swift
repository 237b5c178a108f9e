import BLEATT

/// What a fault waits for.
public enum FaultOccasion: Hashable, Sendable {
  /// A request or command that names the value of a characteristic, or its configuration; nil for any attribute.
  case access(FaultAccess, of: String?)
  /// A request or command with one of these opcodes, whatever it names.
  case request([ATTOpcode])
  /// A notification or indication of a characteristic is about to be sent; nil for any.
  case push(FaultPush, of: String?)
  /// A client has subscribed to a characteristic, or has ended that; nil for any.
  case subscribed(String?)
  case unsubscribed(String?)
  /// A link was made, is encrypted, or has ended.
  case connected
  case encrypted
  case disconnected
  /// The central asks for other connection parameters.
  case parameters
  /// The central wants to open a channel, or has opened one; the id of what it is opened to, nil for any.
  case channelRequest(String?)
  case channelOpened(String?)
  /// An SDU has come on such a channel.
  case sdu(String?)
  /// That long after it was armed, once.
  case elapsed(Duration)
  /// Again and again after that long.
  case periodic(Duration)

  /// What happens only at a time.
  public var isTime: Bool {
    switch self {
    case .elapsed, .periodic: true
    default: false
    }
  }

  /// Whether a PDU of a client is what it waits for, so that its answer can be altered.
  public var isRequest: Bool {
    switch self {
    case .access, .request: true
    default: false
    }
  }

  /// Whether a PDU of this side is what it waits for.
  public var isPush: Bool { if case .push = self { true } else { false } }
}

/// How a client uses an attribute.
public enum FaultAccess: String, Hashable, Sendable, CaseIterable {
  /// Reads it, in whatever way.
  case read
  /// Writes it, with an answer or without.
  case write
  /// Any of both.
  case access
  /// Writes the Client Characteristic Configuration.
  case subscribe

  /// Whether a PDU with that opcode is such an access to a value.
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

/// What a server sends by itself.
public enum FaultPush: String, Hashable, Sendable, CaseIterable {
  case notify, indicate, push

  /// Whether a PDU with that opcode is one.
  public func includes(_ opcode: ATTOpcode) -> Bool {
    switch self {
    case .notify: opcode == .handleValueNotification || opcode == .multipleHandleValueNotification
    case .indicate: opcode == .handleValueIndication
    case .push: FaultPush.notify.includes(opcode) || FaultPush.indicate.includes(opcode)
    }
  }
}
