import BLECore
import BLECryptography
import BLEHCI

/// The state that HCI Reset restores to its defaults (Core 5.4 Vol 4 Part E 7.3.2), except the connections.
struct ControllerState {
  /// The family of advertising and scanning commands that the host has used since the reset (3.1.1). The other family is refused.
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

  /// The advertising sets in the order of creation, including the legacy one.
  var sets: [AdvertisingSet] = []
  var scanParameters = ScanSettings()
  var scanner: Scanner?
  var initiator: Initiator?
  var filterAcceptList: [ListedDevice] = []
  var resolvingList = ResolvingList()

  /// Whether the controller listens on the primary advertising channels.
  var isListening: Bool { scanner != nil || initiator != nil }

  var channelMap: UInt64 = ChannelMap().bits
  var suggestedDataOctets: UInt16 = 27
  var suggestedDataTime: UInt16 = 328
  var preferredTransmitPHYs: UInt8
  var preferredReceivePHYs: UInt8

  /// The key pair that the host requested last.
  var keyPair: KeyPair?
  /// In units of 0.1 dB. Unused, because the virtual radio has no RF path.
  var transmitPathCompensation: Int16 = 0
  var receivePathCompensation: Int16 = 0
  /// The power of scan requests, in dBm.
  var scanPower: Int8

  /// Controller-to-host flow control (7.3.38), and the number of packets that the host can hold (7.3.39).
  var hostFlowControl = false
  var hostBufferCount = 0
  /// The maximum length of an ACL packet to the host; nil until the host sets it.
  var hostDataLength: Int?
  /// The maximum number of packets at the host; nil without flow control.
  var hostBufferLimit: Int? { hostFlowControl ? hostBufferCount : nil }

  init(configuration: ControllerConfiguration) {
    preferredTransmitPHYs = configuration.supportedPHYs
    preferredReceivePHYs = configuration.supportedPHYs
    scanPower = configuration.maximumTransmitPower
  }
}

/// An entry of the filter accept list or the resolving list (Core 5.4 Vol 4 Part E 7.8.16, 7.8.38).
struct ListedDevice: Hashable, Sendable {
  /// Public, random or anonymous.
  var type: AddressType
  /// Zero for the entry that matches all anonymous advertisers.
  var address: DeviceAddress

  /// Creates the device with this address, which may be given as an identity address.
  init(type: AddressType, address: DeviceAddress) {
    self.type = type.deviceType
    self.address = address
  }
}
