/// One place where a controller that people have is laxer or stricter than the Core Specification.
///
/// The presets have those of the controllers that they are named after: `DeviationTable` has what the specification says of
/// each, and where the controller's source says otherwise; `docs/radio.md` shows the tables.
public enum ControllerDeviation: String, Hashable, Sendable, CaseIterable {
  // MARK: Advertising

  /// LE Set Advertising Set Random Address succeeds for a connectable set that is enabled. The set keeps its address on
  /// the air until it is enabled again.
  case takesAddressOfConnectableSet
  /// A set that is made has the random address that the set in its place had before, also over HCI Reset.
  case keepsSetAddresses
  /// LE Set Advertising Set Random Address is refused for any set that is enabled, connectable or not.
  case refusesAddressOfEnabledSet
  /// LE Set Random Address succeeds during passive scanning.
  case takesAddressDuringPassiveScanning
  /// Where LE Set Extended Advertising Enable fails for one of several sets, those before it stay enabled.
  case enablesSetsOneByOne
  /// A set can be enabled while the last fragment of its data is missing, with the data that it had before.
  case enablesIncompleteData
  /// Enabling a set that is enabled leaves it as it was: a new address does not take effect.
  case keepsEnabledSet
  /// Data that is too long for a connectable set is refused with Unspecified Error where 200 octets or more come in one command.
  case refusesLongDataAsUnspecified
  /// Data of a connectable set that does not fit in AUX_ADV_IND is cut off without a word.
  case cutsConnectableData
  /// A connectable set takes one of the controller's connections from when it is enabled on.
  case reservesConnections
  /// Of the fields that say how to advertise hardly any is checked: the bits count for which there is room.
  case takesAnyAdvertisingParameters
  /// Advertising intervals that are too short or the wrong way round are refused with 0x11.
  case refusesIntervalsAsUnsupported
  /// An advertising handle may be above 0xEF.
  case takesAnyAdvertisingHandle
  /// The transmit power that was asked for is given back as the selected one, 127 too.
  case echoesTransmitPower
  /// A set that becomes a legacy one loses data for which that has no room.
  case dropsDataOfChangedSet
  /// The operation of LE Set Extended Advertising Data is not checked; a reserved one is an assertion on a legacy set.
  case takesAnyDataOperation
  /// A directed legacy set takes data.
  case takesDataOfDirectedSet
  /// High duty cycle directed advertising is enabled with any duration.
  case takesAnyHighDutyDuration
  /// LE Clear Advertising Sets removes the sets that are not enabled although it is refused.
  case clearsIdleSets
  /// Advertising with an address of zeros is refused.
  case refusesZeroAddress

  // MARK: Scanning and lists

  /// Type, interval and window of scanning are not checked.
  case takesAnyScanParameters
  /// The filter accept list takes address types that there are not.
  case takesAnyListedAddressType
  /// The filter accept list can be changed as long as not both advertising and scanning or initiating go by it.
  case changesUsedAcceptList

  // MARK: Links and data

  /// From boot until the first HCI Reset, questions about connection handle 0 succeed although there is no such connection:
  /// an RSSI of 0 dBm, PHYs of 0, and a channel map without a channel.
  case knowsFirstHandleBeforeReset
  /// Disconnect is refused with Command Disallowed for a handle that a link could have and none has.
  case disallowsUnknownDisconnect
  /// A second Disconnect succeeds, and leads to nothing more.
  case takesSecondDisconnect
  /// LE Connection Update of a peripheral begins with any parameters, and ends with an event that has status 0x1E.
  case beginsInvalidConnectionUpdate
  /// LE Set Default PHY takes PHYs that there are not, and none at all.
  case takesAnyDefaultPHY
  /// An answer to a Remote Connection Parameter Request that has not come succeeds.
  case takesUnaskedParameterReply
  /// An ACL packet that is too long is discarded without an event.
  case discardsLongData
  /// An ACL packet with flags that LE does not have takes a buffer until the next reset.
  case losesBufferOfBadFlags
  /// Host Buffer Size leaves its status as an older event left it, here 0x12, although it has taken effect.
  case leavesHostBufferStatus
  /// Host Buffer Size is refused with Command Disallowed when it comes a second time before a reset.
  case keepsHostBufferSize
  /// Host Buffer Size is refused where the packets are shorter than the longest data PDU, for the controller does not cut those.
  case refusesShortHostBuffers
  /// Host Buffer Size is taken during a connection.
  case takesHostBufferSizeInConnection
  /// Of a Host Number Of Completed Packets with a fault the entries before the fault are counted.
  case countsBuffersBeforeFault

  // MARK: Commands

  /// The length of a command's parameters is not checked: what is missing counts as zeros, what is left over is ignored.
  /// Without a defined content: a real controller reads what an earlier command left in the buffer.
  case ignoresParameterLength
  /// A device that is not on the filter accept list cannot be removed from it.
  case refusesUnlistedDevice
  /// Commands that the controller does not know are answered with Command Complete in place of Command Status.
  case completesUnknownCommands

  // MARK: Assertions

  /// An octet that begins no H4 packet is an assertion.
  case assertsPacketType
  /// More ACL packets than there are buffers for are an assertion.
  case assertsDataBuffers
  /// A second command before the answer to the first is an assertion, unless it is HCI Reset.
  case assertsOneCommand
  /// A command whose parameters do not have the length of its layout is an assertion.
  case assertsParameterLength
}

/// What becomes of a controller after an assertion in it.
public enum AssertionOutcome: Hashable, Sendable {
  /// It starts anew, and announces that where it announces its boot.
  case restart
  /// It says nothing and takes nothing until somebody restarts it.
  case halt
}
