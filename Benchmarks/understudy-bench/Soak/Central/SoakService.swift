import BLECore
import Bench
import BLEGATT

/// What the soak's accessory offers, by the UUIDs of the profile `soak`.
enum SoakService {
  /// A value that never changes.
  static let label = BluetoothUUID(high: 0x5ED2_0002_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// A value that is notified, with a sequence number at its beginning.
  static let sequence = BluetoothUUID(high: 0x5ED2_0003_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// A value that is indicated, and grows by one each time.
  static let steps = BluetoothUUID(high: 0x5ED2_0004_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// The PSM of the channel that sends everything back.
  static let psm = LadderService.psm

  /// Returns the UUID of the value to which the central with that number, starting at 0, writes.
  static func slot(_ central: Int) -> BluetoothUUID {
    BluetoothUUID(high: 0x5ED2_0011_7C4D_4B0E + UInt64(central) << 32, low: 0x9E4B_1F6E_2A1B_9C00)
  }

  /// How many centrals have a slot.
  static let slots = 4
  /// The value of the label.
  static let labelValue = Array("An understudy knows the part so well that the audience cannot tell.".utf8)
  /// What a slot holds before anything is written.
  static let initialSlot: [UInt8] = [0]
}

/// The handles of what a central uses. When an accessory has none of it, the central reads all that there is.
struct SoakHandles: Hashable, Sendable {
  var label: UInt16?
  var sequence: UInt16?
  var steps: UInt16?
  var slot: UInt16?
  var psm: UInt16?
  /// Everything that can be read.
  var readable: [UInt16] = []
  /// Everything that can be notified.
  var notifiable: [UInt16] = []

  /// Makes handles before anything is found.
  init() {}

  /// Finds the handles for the central with that number in a database.
  init(_ database: RemoteDatabase, central: Int) {
    func value(_ uuid: BluetoothUUID) -> UInt16? { database.characteristic(uuid)?.value }
    label = value(SoakService.label)
    sequence = value(SoakService.sequence)
    steps = value(SoakService.steps)
    slot = value(SoakService.slot(central))
    psm = value(SoakService.psm)
    readable = database.characteristics.filter { $0.properties.contains(.read) }.map(\.value)
    notifiable = database.characteristics.filter { $0.properties.contains(.notify) && $0.configuration != nil }
      .map(\.value)
  }
}
