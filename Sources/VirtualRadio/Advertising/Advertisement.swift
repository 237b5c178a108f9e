import BLECore
import BLEHCI

/// What an advertising set has on the air during one advertising event; changes of the set show in the next.
struct Advertisement {
  let advertiser: ControllerID
  let key: SetKey
  let properties: AdvertisingEventProperties
  /// The advertiser's address; anonymous for none.
  let own: OwnAddress
  /// To whom directed advertising is directed.
  let targetType: AddressType
  let target: DeviceAddress
  let data: [UInt8]
  let scanResponse: [UInt8]
  let primaryPHY: RadioPHY
  let secondaryPHY: RadioPHY
  let sid: UInt8
  let dataIdentifier: UInt16
  /// In dBm.
  let transmitPower: Int8
  /// How much stronger than usual it is sent, in dB.
  let gain: Int

  /// Public or random; anonymous for none.
  var addressType: AddressType { own.type }
  var address: DeviceAddress { own.address }
  var isLegacy: Bool { properties.contains(.legacy) }
  var isConnectable: Bool { properties.contains(.connectable) }
  var isScannable: Bool { properties.contains(.scannable) }
  var isDirected: Bool { properties.contains(.directed) }

  /// On which PHY a link begins that comes from this.
  var connectionPHY: RadioPHY { isLegacy ? .le1M : secondaryPHY }

  /// transmitWindowDelay: when the transmit window of such a link opens after the request, before the offset that the
  /// central chooses (Core 5.4 Vol 6 Part B 4.5.3).
  var transmitWindowDelay: Duration {
    isLegacy ? .microseconds(1250) : secondaryPHY == .leCoded ? .microseconds(3750) : .microseconds(2500)
  }
}

/// How far an advertising event has come.
struct AdvertisingProgress {
  enum Stage {
    /// The packet on the primary channel at that place of `channels`.
    case primary(Int)
    /// The auxiliary packet that carries the data from that offset on.
    case auxiliary(Int)
    /// The auxiliary packet that answers scan requests with the data from that offset on.
    case scanResponse(Int)
    /// Someone sends a connection request under that address, on the channel with that index.
    case connecting(AuxiliaryListener, OwnAddress, channel: UInt8, arrives: Bool)
  }

  let advertisement: Advertisement
  /// Indices 0, 1, 2 for channels 37, 38, 39.
  let channels: [Int]
  /// The channel index of the first auxiliary packet.
  let auxiliaryChannel: Int
  var stage: Stage
  /// When the packet of this stage began.
  var stageStart: Instant
  /// Who follows to the auxiliary packets.
  var listeners: [AuxiliaryListener] = []
}

/// A scanner or initiator that heard a packet on a primary channel.
struct AuxiliaryListener {
  var controller: ControllerID
  /// Of the scanner or initiator; it has been stopped since when that has another.
  var epoch: UInt32
  var isInitiator: Bool

  init(_ controller: VirtualController, _ epoch: UInt32, isInitiator: Bool) {
    self.controller = controller.id
    self.epoch = epoch
    self.isInitiator = isInitiator
  }
}
