/// A point where a real controller is laxer or stricter than the Core Specification.
///
/// Each preset has the deviations of the controller that it is named after. `DeviationTable` states for each what the specification says
/// and where the controller's source differs; `docs/radio.md` shows the tables.
public enum ControllerDeviation: String, Hashable, Sendable, CaseIterable {
  // MARK: Advertising

  /// LE Set Advertising Set Random Address succeeds for an enabled connectable set. The set keeps its address on the air until it is
  /// enabled again.
  case takesAddressOfConnectableSet
  /// A new set has the random address of the previous set in its place, even after HCI Reset.
  case keepsSetAddresses
  /// LE Set Advertising Set Random Address is refused for any enabled set, connectable or not.
  case refusesAddressOfEnabledSet
  /// LE Set Random Address succeeds during passive scanning.
  case takesAddressDuringPassiveScanning
  /// If LE Set Extended Advertising Enable fails for one of several sets, the sets before it stay enabled.
  case enablesSetsOneByOne
  /// A set can be enabled while the last fragment of its data is missing. It uses its previous data.
  case enablesIncompleteData
  /// Enabling an enabled set has no effect: a new address is not used.
  case keepsEnabledSet
  /// If data is too long for a connectable set and one command has 200 octets or more of it, the error is Unspecified Error.
  case refusesLongDataAsUnspecified
  /// Data of a connectable set that does not fit in AUX_ADV_IND is truncated without an error.
  case cutsConnectableData
  /// A connectable set occupies one of the controller's connections from the time it is enabled.
  case reservesConnections
  /// Advertising parameters are hardly checked. Bits that exceed a field are ignored.
  case takesAnyAdvertisingParameters
  /// Advertising intervals that are too short, or with minimum and maximum swapped, are refused with 0x11.
  case refusesIntervalsAsUnsupported
  /// An advertising handle may be above 0xEF.
  case takesAnyAdvertisingHandle
  /// The requested transmit power is returned as the selected one, including 127.
  case echoesTransmitPower
  /// A set that becomes a legacy one loses data that does not fit in legacy PDUs.
  case dropsDataOfChangedSet
  /// The operation of LE Set Extended Advertising Data is not checked. A reserved one causes an assertion on a legacy set.
  case takesAnyDataOperation
  /// A directed legacy set accepts data.
  case takesDataOfDirectedSet
  /// High duty cycle directed advertising can be enabled with any duration.
  case takesAnyHighDutyDuration
  /// LE Clear Advertising Sets removes the sets that are not enabled, even if it is refused.
  case clearsIdleSets
  /// Advertising with an address of zeros is refused.
  case refusesZeroAddress

  // MARK: Scanning and lists

  /// Type, interval and window of scanning are not checked.
  case takesAnyScanParameters
  /// The filter accept list accepts reserved address types.
  case takesAnyListedAddressType
  /// The filter accept list can be changed unless both advertising and scanning or initiating use it.
  case changesUsedAcceptList

  // MARK: Links and data

  /// From boot until the first HCI Reset, queries about connection handle 0 succeed without such a connection. They return an RSSI of 0
  /// dBm, PHYs of 0, and an empty channel map.
  case knowsFirstHandleBeforeReset
  /// Disconnect is refused with Command Disallowed for a valid handle without a link.
  case disallowsUnknownDisconnect
  /// A second Disconnect succeeds without further effect.
  case takesSecondDisconnect
  /// LE Connection Update on a peripheral starts with any parameters. Its event has status 0x1E.
  case beginsInvalidConnectionUpdate
  /// LE Set Default PHY accepts reserved PHYs and empty masks.
  case takesAnyDefaultPHY
  /// A reply to a Remote Connection Parameter Request succeeds although none was received.
  case takesUnaskedParameterReply
  /// An ACL packet that is too long is discarded without an event.
  case discardsLongData
  /// An ACL packet with flags that LE does not define occupies a buffer until the next reset.
  case losesBufferOfBadFlags
  /// Host Buffer Size takes effect but returns a stale status from an older event, here 0x12.
  case leavesHostBufferStatus
  /// Host Buffer Size is refused with Command Disallowed if it is repeated before a reset.
  case keepsHostBufferSize
  /// Host Buffer Size is refused if the packets are shorter than the longest data PDU, because the controller does not split data PDUs.
  case refusesShortHostBuffers
  /// Host Buffer Size is accepted during a connection.
  case takesHostBufferSizeInConnection
  /// In a faulty Host Number Of Completed Packets, the entries before the fault are counted.
  case countsBuffersBeforeFault

  // MARK: Commands

  /// The parameter length of a command is not checked: missing octets are zeros, excess ones are ignored. In a real controller the missing
  /// octets are undefined: it reads what an earlier command left in the buffer.
  case ignoresParameterLength
  /// Removing a device that is not on the filter accept list is refused.
  case refusesUnlistedDevice
  /// Unknown commands are answered with Command Complete instead of Command Status.
  case completesUnknownCommands

  // MARK: Assertions

  /// An octet that starts no H4 packet causes an assertion.
  case assertsPacketType
  /// More ACL packets than buffers cause an assertion.
  case assertsDataBuffers
  /// A second command before the answer to the first causes an assertion, unless it is HCI Reset.
  case assertsOneCommand
  /// A command with the wrong parameter length causes an assertion.
  case assertsParameterLength
}

/// The outcome of an assertion in a controller.
public enum AssertionOutcome: Hashable, Sendable {
  /// It restarts, and announces its boot if it usually does.
  case restart
  /// It is silent and accepts nothing until it is restarted.
  case halt
}
