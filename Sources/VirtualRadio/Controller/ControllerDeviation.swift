/// One place where a controller that people have is laxer or stricter than the Core Specification.
///
/// The presets have those of the controllers that they are named after; `docs/radio.md` lists them with what the
/// specification says and where the controller's source says otherwise.
public enum ControllerDeviation: String, Hashable, Sendable, CaseIterable {
  // MARK: Advertising

  /// LE Set Advertising Set Random Address succeeds for a connectable set that is enabled. The set keeps its address on
  /// the air until it is enabled again.
  case takesAddressOfConnectableSet = "takes-address-of-connectable-set"
  /// A set that is made has the random address that the set in its place had before, also over HCI Reset.
  case keepsSetAddresses = "keeps-set-addresses"
  /// LE Set Advertising Set Random Address is refused for any set that is enabled, connectable or not.
  case refusesAddressOfEnabledSet = "refuses-address-of-enabled-set"
  /// LE Set Random Address succeeds during passive scanning.
  case takesAddressDuringPassiveScanning = "takes-address-during-passive-scanning"
  /// Where LE Set Extended Advertising Enable fails for one of several sets, those before it stay enabled.
  case enablesSetsOneByOne = "enables-sets-one-by-one"
  /// A set can be enabled while the last fragment of its data is missing, with the data that it had before.
  case enablesIncompleteData = "enables-incomplete-data"
  /// Enabling a set that is enabled leaves it as it was: a new address does not take effect.
  case keepsEnabledSet = "keeps-enabled-set"
  /// Data that is too long for a set is refused with Command Disallowed where it comes in one command.
  case disallowsLongData = "disallows-long-data"
  /// Data of a connectable set that does not fit in AUX_ADV_IND is cut off without a word.
  case cutsConnectableData = "cuts-connectable-data"
  /// A connectable set takes one of the controller's connections from when it is enabled on.
  case reservesConnections = "reserves-connections"

  // MARK: Links and data

  /// Disconnect is refused with Command Disallowed for a handle that a link could have and none has.
  case disallowsUnknownDisconnect = "disallows-unknown-disconnect"
  /// A second Disconnect succeeds, and leads to nothing more.
  case takesSecondDisconnect = "takes-second-disconnect"
  /// An ACL packet with flags that LE does not have takes a buffer until the next reset.
  case losesBufferOfBadFlags = "loses-buffer-of-bad-flags"
  /// Host Buffer Size leaves its status as an older event left it, here 0x12, although it has taken effect.
  case leavesHostBufferStatus = "leaves-host-buffer-status"
  /// Host Buffer Size is refused with Command Disallowed when it comes a second time before a reset.
  case keepsHostBufferSize = "keeps-host-buffer-size"
  /// Of a Host Number Of Completed Packets with a fault the entries before the fault are counted.
  case countsBuffersBeforeFault = "counts-buffers-before-fault"

  // MARK: Commands

  /// The length of a command's parameters is not checked: what is missing counts as zeros, what is left over is ignored.
  /// Without a defined content: a real controller reads what an earlier command left in the buffer.
  case ignoresParameterLength = "ignores-parameter-length"
  /// A device that is not on the filter accept list cannot be removed from it.
  case refusesUnlistedDevice = "refuses-unlisted-device"
  /// Commands that the controller does not know are answered with Command Complete in place of Command Status.
  case completesUnknownCommands = "completes-unknown-commands"

  // MARK: Assertions

  /// An octet that begins no H4 packet is an assertion.
  case assertsPacketType = "asserts-packet-type"
  /// More ACL packets than there are buffers for are an assertion.
  case assertsDataBuffers = "asserts-data-buffers"
  /// A second command before the answer to the first is an assertion, unless it is HCI Reset.
  case assertsOneCommand = "asserts-one-command"
  /// A command whose parameters do not have the length of its layout is an assertion.
  case assertsParameterLength = "asserts-parameter-length"
}

/// What becomes of a controller after an assertion in it.
public enum AssertionOutcome: Hashable, Sendable {
  /// It starts anew, and announces that where it announces its boot.
  case restart
  /// It says nothing and takes nothing until somebody restarts it.
  case halt
}
