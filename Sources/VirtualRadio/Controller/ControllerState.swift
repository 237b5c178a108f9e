import BLECore
import BLEHCI

/// Everything that HCI Reset puts back (Core 5.4 Vol 4 Part E 7.3.2), apart from the connections.
struct ControllerState {
  /// Which family of advertising and scanning commands the host has used since the reset (3.1.1): the other is refused.
  enum CommandFamily {
    case undecided
    case legacy
    case extended
  }

  var eventMask: EventMask = .specificationDefault
  var eventMaskPage2: EventMaskPage2 = []
  var leEventMask: LEEventMask = .specificationDefault
  var family: CommandFamily = .undecided
  var randomAddress: DeviceAddress?

  /// The advertising sets in the order in which they were made; the legacy one among them.
  var sets: [AdvertisingSet] = []
  var scanParameters = ScanSettings()
  var scanner: Scanner?
  var initiator: Initiator?
  var filterAcceptList: [ListedDevice] = []
  var resolvingList = ResolvingList()

  /// Whether packets on the primary advertising channels matter to the controller.
  var isListening: Bool { scanner != nil || initiator != nil }

  var channelMap: UInt64 = ChannelMap().bits
  var suggestedDataOctets: UInt16 = 27
  var suggestedDataTime: UInt16 = 328
  var preferredTransmitPHYs: UInt8
  var preferredReceivePHYs: UInt8

  /// The key pair that the host asked for last.
  var keyAgreement: KeyAgreement?
  /// In units of 0.1 dB. The virtual radio has no path in which anything could be lost.
  var transmitPathCompensation: Int16 = 0
  var receivePathCompensation: Int16 = 0
  /// The power of scan requests, in dBm.
  var scanPower: Int8

  /// The flow control of data to the host (7.3.38), and how many packets the host said it can hold (7.3.39).
  var hostFlowControl = false
  var hostBufferCount = 0
  /// The longest ACL packet that the host said it can take; nil as long as it has said nothing.
  var hostDataLength: Int?
  /// How many packets the host may have at a time; nil without flow control.
  var hostBufferLimit: Int? { hostFlowControl ? hostBufferCount : nil }

  init(configuration: ControllerConfiguration) {
    preferredTransmitPHYs = configuration.supportedPHYs
    preferredReceivePHYs = configuration.supportedPHYs
    scanPower = configuration.maximumTransmitPower
  }
}

/// A device as the filter accept list and the resolving list name it (Core 5.4 Vol 4 Part E 7.8.16, 7.8.38).
struct ListedDevice: Hashable, Sendable {
  /// Public, random or anonymous.
  var type: AddressType
  /// Zero for the entry that stands for all anonymous advertisers.
  var address: DeviceAddress

  /// The device with that address, be it named as an identity or not.
  init(type: AddressType, address: DeviceAddress) {
    self.type = type.deviceType
    self.address = address
  }
}
