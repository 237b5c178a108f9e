import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The accessory and a central without a host, with a channel between them.
struct ChannelScene {
  let simulation: RadioSimulation
  let accessory: SpecimenAccessory
  let central: RawCentral
  private let scene: RawScene

  init() throws {
    scene = try RawScene()
    (simulation, accessory, central) = (scene.simulation, scene.accessory, scene.central)
  }

  /// The accessory's name for the link.
  var link: ConnectionHandle { get throws { try scene.link } }

  /// Opens a channel from 0050 with an MTU of 200 and an MPS of 60.
  func open(credits: UInt8 = 5) throws {
    try central.exchange(
      "14 01 0a00 8000 5000 c800 3c00 \([credits].hexadecimal)00", "15 01 0a00 4000 6400 3200 0400 0000",
      on: .signalling)
  }

  /// Makes the accessory send an SDU.
  func send(_ sdu: [UInt8]) throws { try accessory.perform(.channel(.send(try link, .first, sdu))) }

  /// The SDUs that the accessory has received.
  var sdus: [[UInt8]] {
    accessory.events.compactMap { if case .sdu(_, _, let octets) = $0 { octets } else { nil } }
  }

  /// The reasons why channels have ended.
  var closures: [ChannelClosure] {
    accessory.events.compactMap { event in
      if case .channel(_, .closed(_, _, let closure, _)) = event { closure } else { nil }
    }
  }

  /// The credits that the accessory has given for its channel 0040.
  var returnedCredits: Int {
    central.frames.filter { $0.channel == .signalling && $0.payload.first == 0x16 }.reduce(0) {
      $0 + Int($1.payload[6])
    }
  }
}

extension ChannelID {
  /// The accessory's identifier of the first channel.
  static let first = ChannelID(rawValue: 0x40)
  /// The central's identifier of it.
  static let remote = ChannelID(rawValue: 0x50)
}
