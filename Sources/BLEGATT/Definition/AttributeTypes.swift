import BLECore

/// The attribute types of GATT (Core 5.4 Vol 3 Part G 3.4).
extension BluetoothUUID {
  /// «Primary Service».
  public static let primaryService = BluetoothUUID(0x2800)
  /// «Secondary Service».
  public static let secondaryService = BluetoothUUID(0x2801)
  /// «Include».
  public static let include = BluetoothUUID(0x2802)
  /// «Characteristic».
  public static let characteristic = BluetoothUUID(0x2803)
  /// «Characteristic Extended Properties».
  public static let extendedProperties = BluetoothUUID(0x2900)
  /// «Characteristic User Description».
  public static let userDescription = BluetoothUUID(0x2901)
  /// «Client Characteristic Configuration».
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
  /// «Server Characteristic Configuration».
  public static let serverCharacteristicConfiguration = BluetoothUUID(0x2903)
  /// «Characteristic Presentation Format».
  public static let presentationFormat = BluetoothUUID(0x2904)
  /// «Characteristic Aggregate Format».
  public static let aggregateFormat = BluetoothUUID(0x2905)
  /// «Valid Range».
  public static let validRange = BluetoothUUID(0x2906)
  /// «External Report Reference».
  public static let externalReportReference = BluetoothUUID(0x2907)
  /// «Report Reference».
  public static let reportReference = BluetoothUUID(0x2908)
  /// «Service Changed» (Core 5.4 Vol 3 Part G 7.1).
  public static let serviceChanged = BluetoothUUID(0x2A05)
  /// Central Address Resolution (Core 5.4 Vol 3 Part C 12.4).
  public static let centralAddressResolution = BluetoothUUID(0x2AA6)
  /// «Client Supported Features» (Core 5.4 Vol 3 Part G 7.2).
  public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
  /// «Database Hash» (Core 5.4 Vol 3 Part G 7.3).
  public static let databaseHash = BluetoothUUID(0x2B2A)
  /// «Server Supported Features» (Core 5.4 Vol 3 Part G 7.4).
  public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
}
