import BLECore
import BLEHCI

// How strongly packets are heard: as the path says, and as much more or less as the sender's power differs from what its
// controller uses where nobody asks for any.
extension Air {
  /// How strongly an advertisement is heard, in dBm.
  func strength(of advertisement: Advertisement, at listener: ControllerID) -> Int8 {
    strength(from: advertisement.advertiser, to: listener, gain: advertisement.gain)
  }

  /// How strongly a packet of a link's end is heard, in dBm.
  func strength(of end: LinkEnd, at listener: ControllerID) -> Int8 {
    strength(from: end.controllerID, to: listener, gain: end.gain)
  }

  private func strength(from sender: ControllerID, to listener: ControllerID, gain: Int) -> Int8 {
    Int8(min(max(Int(propagation.strength(from: sender, to: listener)) + gain, -127), 20))
  }
}

extension ControllerConfiguration {
  /// The nearest power that the controller has, in dBm; 127 leaves it to the controller.
  func selectedPower(_ requested: Int8) -> Int8 {
    requested == 127 ? maximumTransmitPower : min(max(requested, minimumTransmitPower), maximumTransmitPower)
  }

  /// How much stronger than usual a packet sent with that power is, in dB.
  func gain(of power: Int8) -> Int { Int(power) - Int(maximumTransmitPower) }
}
