import BLECore
import BLEHCI

// Received signal strength: the path's strength, plus the difference between the sender's transmit power and its controller's default.
extension Air {
  /// Returns the strength at which a listener hears an advertisement, in dBm.
  func strength(of advertisement: Advertisement, at listener: ControllerID) -> Int8 {
    strength(from: advertisement.advertiser, to: listener, gain: advertisement.gain)
  }

  /// Returns the strength at which a listener hears a link end, in dBm.
  func strength(of end: LinkEnd, at listener: ControllerID) -> Int8 {
    strength(from: end.controllerID, to: listener, gain: end.gain)
  }

  private func strength(from sender: ControllerID, to listener: ControllerID, gain: Int) -> Int8 {
    Int8(min(max(Int(propagation.strength(from: sender, to: listener)) + gain, -127), 20))
  }
}

extension ControllerConfiguration {
  /// Returns the nearest supported power, in dBm; 127 leaves the choice to the controller.
  func selectedPower(_ requested: Int8) -> Int8 {
    requested == 127 ? maximumTransmitPower : min(max(requested, minimumTransmitPower), maximumTransmitPower)
  }

  /// Returns the gain of this power over the default, in dB.
  func gain(of power: Int8) -> Int { Int(power) - Int(maximumTransmitPower) }
}
