import AccessoryProfile
import ArgumentParser
import BLECore
import Decoding

/// The profiles whose formats decode the values of a capture.
struct ValueFormatArguments: ParsableArguments {
  @Option(
    name: .customLong("profile"),
    help: ArgumentHelp(
      "Decode values by the formats of a profile, and name its characteristics; may be repeated.", valueName: "profile")
  )
  var paths: [String] = []

  /// Loads the profiles.
  func profiles() throws -> [Profile] { try paths.map { try ProfileArguments.load($0) } }

  /// Returns the formats of a capture's own accessory and of these profiles, and a decoder that uses them. The profiles take precedence.
  func decoding(_ source: CaptureSource) throws -> (formats: [BluetoothUUID: ValueFormat], decoder: PacketDecoder) {
    var formats = source.formats
    var names: [BluetoothUUID: String] = [:]
    for profile in try profiles() {
      formats.merge(profile.valueFormats) { $1 }
      names.merge(profile.valueNames) { $1 }
    }
    return (formats, PacketDecoder(valueText: CaptureReading.valueText(formats), names: names))
  }
}
