import BLECore
import BLEHCI

/// The hosts' settings for the whole controller since its last reset, merged so that each host gets what it requested. It may get more: a
/// host ignores events that it did not request.
struct SharedSettings: Sendable {
  private var eventMask: EventMask = []
  private var eventMaskPage2: EventMaskPage2 = []
  private var leEventMask: LEEventMask = []
  private var dataLength: LEWriteSuggestedDefaultDataLength?
  private var phys: LESetDefaultPHY?
  /// The data length that each host suggested.
  private var dataLengths: [SharedController.Seat: LEWriteSuggestedDefaultDataLength] = [:]

  /// Returns a host's command, merged with the settings of the other hosts.
  mutating func merge(_ command: HostCommand, of seat: SharedController.Seat) throws(LayoutFault) -> [UInt8] {
    let parameters = command.packet.span.extracting(HostCommand.parameters...)
    switch command.opcode {
    case .setEventMask:
      eventMask.formUnion(try HCISetEventMask.decodePrefix(of: parameters).value.eventMask)
      return HCISetEventMask { $0.eventMask = eventMask }.h4
    case .setEventMaskPage2:
      eventMaskPage2.formUnion(try HCISetEventMaskPage2.decodePrefix(of: parameters).value.eventMask)
      return HCISetEventMaskPage2 { $0.eventMask = eventMaskPage2 }.h4
    case .leSetEventMask:
      leEventMask.formUnion(try LESetEventMask.decodePrefix(of: parameters).value.eventMask)
      // This event shows to which host a connection belongs.
      leEventMask.insert(.advertisingSetTerminated)
      return LESetEventMask { $0.eventMask = leEventMask }.h4
    case .leWriteSuggestedDefaultDataLength:
      let wanted = try LEWriteSuggestedDefaultDataLength.decodePrefix(of: parameters).value
      dataLengths[seat] = wanted
      var longest = dataLength ?? wanted
      longest.maximumTxOctets = max(longest.maximumTxOctets, wanted.maximumTxOctets)
      longest.maximumTxTime = max(longest.maximumTxTime, wanted.maximumTxTime)
      dataLength = longest
      return longest.h4
    case .leSetDefaultPHY:
      let wanted = try LESetDefaultPHY.decodePrefix(of: parameters).value
      var merged = phys ?? wanted
      merged.noPreference.formUnion(wanted.noPreference)
      merged.txPHYs.formUnion(wanted.txPHYs)
      merged.rxPHYs.formUnion(wanted.rxPHYs)
      phys = merged
      return merged.h4
    default: return command.packet
    }
  }

  /// Returns the suggested data length for a host: its own suggestion, as long as the controller has the merged one. Any other value
  /// shows that the controller has restarted.
  func suggestion(
    _ found: LEReadSuggestedDefaultDataLength.ReturnParameters, for seat: SharedController.Seat
  ) -> LEReadSuggestedDefaultDataLength.ReturnParameters {
    guard let dataLength, let own = dataLengths[seat], found.maximumTxOctets == dataLength.maximumTxOctets else {
      return found
    }
    var rewritten = found
    rewritten.maximumTxOctets = own.maximumTxOctets
    rewritten.maximumTxTime = own.maximumTxTime
    return rewritten
  }
}
