/// All events with a layout, for the decoder and for tests that cover all events.
package enum EventRegistry {
  /// The types, in the order of the files.
  package static let all: [any HCIEvent.Type] = common + classic

  private static let common: [any HCIEvent.Type] = [
    HCICommandComplete.self, HCICommandStatus.self, HCINumberOfCompletedPackets.self,
    HCIDisconnectionComplete.self, HCIEncryptionChange.self, HCIEncryptionChangeV2.self,
    HCIReadRemoteVersionInformationComplete.self, HCIEncryptionKeyRefreshComplete.self,
    HCIAuthenticatedPayloadTimeoutExpired.self,
    HCIHardwareError.self, HCIDataBufferOverflow.self,
    LEConnectionComplete.self, LEConnectionUpdateComplete.self, LEReadRemoteFeaturesComplete.self,
    LERemoteConnectionParameterRequest.self, LEDataLengthChange.self, LEEnhancedConnectionComplete.self,
    LEEnhancedConnectionCompleteV2.self, LEPHYUpdateComplete.self, LEChannelSelectionAlgorithm.self,
    LELongTermKeyRequest.self, LEReadLocalP256PublicKeyComplete.self, LEGenerateDHKeyComplete.self,
    LEAdvertisingReport.self, LEDirectedAdvertisingReport.self, LEExtendedAdvertisingReport.self, LEScanTimeout.self,
    LEAdvertisingSetTerminated.self, LEScanRequestReceived.self,
    HCIVendorEvent.self,
  ]

  /// Returns the type for this event code, and for LE Meta events also by this subevent code.
  package static func type(for code: EventCode, subevent: LESubevent? = nil) -> (any HCIEvent.Type)? {
    if code == .leMeta { return subevent.flatMap { bySubevent[$0] } }
    return byCode[code]
  }

  private static let byCode = Dictionary(
    all.filter { $0.code != .leMeta }.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

  private static let bySubevent = Dictionary(
    all.compactMap { type in (type as? any LEMetaEvent.Type).map { ($0.subevent, type) } },
    uniquingKeysWith: { first, _ in first })
}
