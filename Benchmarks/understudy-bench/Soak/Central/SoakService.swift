import BLECore
import Bench
import BLEGATT

/// What the accessory of the soak offers, by the UUIDs of the profile `soak`.
enum SoakService {
  /// Never changes.
  static let label = BluetoothUUID(high: 0x5ED2_0002_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// Is notified with a sequence number in front.
  static let sequence = BluetoothUUID(high: 0x5ED2_0003_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// Is indicated, one more each time.
  static let steps = BluetoothUUID(high: 0x5ED2_0004_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// Holds the PSM of the channel that sends everything back.
  static let psm = LadderService.psm

  /// Keeps what the central with that number, from 0 on, writes.
  static func slot(_ central: Int) -> BluetoothUUID {
    BluetoothUUID(high: 0x5ED2_0011_7C4D_4B0E + UInt64(central) << 32, low: 0x9E4B_1F6E_2A1B_9C00)
  }

  /// How many centrals have a slot.
  static let slots = 4
  /// What the label says.
  static let labelValue = Array("An understudy knows the part so well that the audience cannot tell.".utf8)
  /// What a slot holds before anything is written.
  static let initialSlot: [UInt8] = [0]
}

/// Where a central has found what it uses. An accessory that has none of it is read from end to end.
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

  /// Nothing found yet.
  init() {}

  /// What the central with that number finds in a database.
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
