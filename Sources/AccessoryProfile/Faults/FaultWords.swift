import BLEATT
import BLECore
import Faults

/// The keywords for faults in profiles.
enum FaultWords {
  static let occasions: [(word: String, occasion: FaultOccasion)] = [
    ("connected", .connected), ("encrypted", .encrypted), ("disconnected", .disconnected), ("parameters", .parameters),
    ("paged", .paged), ("link-key", .linkKey), ("service-discovery", .discovery),
  ]

  static let requests: [(word: String, opcode: ATTOpcode)] = [
    ("exchange-mtu", .exchangeMTURequest), ("find-information", .findInformationRequest),
    ("find-by-type-value", .findByTypeValueRequest), ("read-by-type", .readByTypeRequest), ("read", .readRequest),
    ("read-blob", .readBlobRequest), ("read-multiple", .readMultipleRequest),
    ("read-by-group-type", .readByGroupTypeRequest), ("write", .writeRequest), ("prepare-write", .prepareWriteRequest),
    ("execute-write", .executeWriteRequest), ("read-multiple-variable", .readMultipleVariableRequest),
    ("write-command", .writeCommand), ("signed-write-command", .signedWriteCommand),
    ("confirmation", .handleValueConfirmation),
  ]

  /// The reasons that a host may give (Core 5.4 Vol 4 Part E 7.1.6).
  static let reasons: [(word: String, code: ErrorCode)] = [
    ("authentication-failure", .authenticationFailure), ("user-terminated", .remoteUserTerminatedConnection),
    ("low-resources", .remoteDeviceTerminatedLowResources), ("power-off", .remoteDeviceTerminatedPowerOff),
    ("unsupported-remote-feature", .unsupportedRemoteFeature),
    ("pairing-with-unit-key", .pairingWithUnitKeyNotSupported),
    ("unacceptable-parameters", .unacceptableConnectionParameters),
  ]

  /// The actions that consist of a single word.
  static let actions = [
    "ignore", "twice", "corrupt", "wrong-request", "drop", "duplicate", "reorder", "mute", "refuse", "close",
    "reset-controller",
  ]

  static let advertising = ["over-long", "changing", "as-defined"]

  /// The word that matches everything, in place of an id.
  static let any = "any"
}
