extension AssignedName {
  /// Services of Apple's devices, one per line: UUID and name (Apple Notification Center Service Specification, Apple Media Service
  /// Reference).
  static let appleServicesTable = """
    7905F431-B5CE-4E99-A40F-4B1E122D00D0 Apple Notification Center Service
    89D3502B-0F36-433A-8EF4-C502AD55F8DC Apple Media Service
    """

  /// Apple's characteristics, one per line: UUID and name. Includes the one in which Core Bluetooth publishes a PSM
  /// (CBUUIDL2CAPPSMCharacteristicString).
  static let appleCharacteristicsTable = """
    9FBF120D-6301-42D9-8C58-25E699A21DBD ANCS Notification Source
    69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9 ANCS Control Point
    22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB ANCS Data Source
    9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2 AMS Remote Command
    2F7CABCE-808D-411F-9A0C-BB92BA96C102 AMS Entity Update
    C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7 AMS Entity Attribute
    ABDD3056-28FA-441D-A470-55A75A52553A L2CAP PSM
    """
}
