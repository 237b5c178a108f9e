import BLECore

/// The attributes that a phone's system uses itself or hides from apps.
extension BluetoothUUID {
  static let genericAccess = BluetoothUUID(0x1800)
  static let genericAttribute = BluetoothUUID(0x1801)
  static let humanInterfaceDevice = BluetoothUUID(0x1812)
  static let deviceName = BluetoothUUID(0x2A00)
  /// The Apple Notification Center Service.
  static let appleNotificationCenter = BluetoothUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0)
  /// The Apple Media Service.
  static let appleMedia = BluetoothUUID(high: 0x89D3_502B_0F36_433A, low: 0x8EF4_C502_AD55_F8DC)
}
