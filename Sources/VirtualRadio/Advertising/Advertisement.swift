import BLECore
import BLEHCI

/// The contents that an advertising set sends during one advertising event. Changes to the set take effect in the next event.
struct Advertisement {
  let advertiser: ControllerID
  let key: SetKey
  let properties: AdvertisingEventProperties
  /// The advertiser's address, or anonymous.
  let own: OwnAddress
  /// The type of the target's address, for directed advertising.
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
  /// The gain over the default transmit power, in dB.
  let gain: Int

  /// Public, random or anonymous.
  var addressType: AddressType { own.type }
  var address: DeviceAddress { own.address }
  var isLegacy: Bool { properties.contains(.legacy) }
  var isConnectable: Bool { properties.contains(.connectable) }
  var isScannable: Bool { properties.contains(.scannable) }
  var isDirected: Bool { properties.contains(.directed) }

  /// The PHY on which a link from this advertisement starts.
  var connectionPHY: RadioPHY { isLegacy ? .le1M : secondaryPHY }

  /// transmitWindowDelay: the delay from the connection request to the transmit window, without the offset that the central chooses (Core
  /// 5.4 Vol 6 Part B 4.5.3).
  var transmitWindowDelay: Duration {
    isLegacy ? .microseconds(1250) : secondaryPHY == .leCoded ? .microseconds(3750) : .microseconds(2500)
  }
}

/// The progress of an advertising event.
struct AdvertisingProgress {
  enum Stage {
    /// The packet on the primary channel at this index of `channels`.
    case primary(Int)
    /// The auxiliary packet with the data from this offset on.
    case auxiliary(Int)
    /// The auxiliary packet that answers scan requests, with the data from this offset on.
    case scanResponse(Int)
    /// A connection request from this listener and address, on the channel with this index.
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
  /// The controllers that follow to the auxiliary packets.
  var listeners: [AuxiliaryListener] = []
}

/// A scanner or initiator that heard a packet on a primary channel.
struct AuxiliaryListener {
  var controller: ControllerID
  /// The epoch of the scanner or initiator. If the controller now has another, that scanner or initiator has been stopped.
  var epoch: UInt32
  var isInitiator: Bool

  init(_ controller: VirtualController, _ epoch: UInt32, isInitiator: Bool) {
    self.controller = controller.id
    self.epoch = epoch
    self.isInitiator = isInitiator
  }
}
