// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The UUIDs of protocols, service classes and browse groups (Bluetooth Assigned Numbers 3.2, 3.3).
extension BluetoothUUID {
  public static let sdp = BluetoothUUID(0x0001)
  public static let rfcomm = BluetoothUUID(0x0003)
  public static let attributeProtocol = BluetoothUUID(0x0007)
  public static let l2cap = BluetoothUUID(0x0100)
  public static let serviceDiscoveryServer = BluetoothUUID(0x1000)
  public static let browseGroupDescriptor = BluetoothUUID(0x1001)
  public static let publicBrowseRoot = BluetoothUUID(0x1002)
  public static let pnpInformation = BluetoothUUID(0x1200)

  /// The name of a protocol, a service class or a browse group, or of a service; nil for others.
  package var discoveryName: String? {
    short.flatMap { DiscoveryNames.all[$0] } ?? assignedName.map(\.displayName)
  }
}

private enum DiscoveryNames {
  static let all = Dictionary(
    AssignedName.numberedNames(in: protocols + "\n" + classes), uniquingKeysWith: { first, _ in first })

  /// Protocols (Bluetooth Assigned Numbers 3.2), one per line.
  static let protocols = """
    0001 SDP
    0002 UDP
    0003 RFCOMM
    0004 TCP
    0005 TCS-BIN
    0006 TCS-AT
    0007 ATT
    0008 OBEX
    0009 IP
    000A FTP
    000C HTTP
    000E WSP
    000F BNEP
    0010 UPNP
    0011 HIDP
    0012 HardcopyControlChannel
    0014 HardcopyDataChannel
    0016 HardcopyNotification
    0017 AVCTP
    0019 AVDTP
    001B CMTP
    001E MCAPControlChannel
    001F MCAPDataChannel
    0100 L2CAP
    """

  /// Service classes, profiles and browse groups (Bluetooth Assigned Numbers 3.3), one per line.
  static let classes = """
    1000 ServiceDiscoveryServer
    1001 BrowseGroupDescriptor
    1002 PublicBrowseRoot
    1101 SerialPort
    1102 LANAccessUsingPPP
    1103 DialupNetworking
    1104 IrMCSync
    1105 OBEXObjectPush
    1106 OBEXFileTransfer
    1107 IrMCSyncCommand
    1108 Headset
    1109 CordlessTelephony
    110A AudioSource
    110B AudioSink
    110C A/V_RemoteControlTarget
    110D AdvancedAudioDistribution
    110E A/V_RemoteControl
    110F A/V_RemoteControlController
    1110 Intercom
    1111 Fax
    1112 HeadsetAudioGateway
    1113 WAP
    1114 WAPClient
    1115 PANU
    1116 NAP
    1117 GN
    1118 DirectPrinting
    1119 ReferencePrinting
    111A BasicImaging
    111B ImagingResponder
    111C ImagingAutomaticArchive
    111D ImagingReferencedObjects
    111E Handsfree
    111F HandsfreeAudioGateway
    1120 DirectPrintingReferenceObjects
    1121 ReflectedUI
    1122 BasicPrinting
    1123 PrintingStatus
    1124 HumanInterfaceDevice
    1125 HardcopyCableReplacement
    1126 HCRPrint
    1127 HCRScan
    1128 CommonISDNAccess
    112D SIMAccess
    112E PhonebookAccessClient
    112F PhonebookAccessServer
    1130 PhonebookAccess
    1131 HeadsetHS
    1132 MessageAccessServer
    1133 MessageNotificationServer
    1134 MessageAccess
    1135 GNSS
    1136 GNSSServer
    1137 3DDisplay
    1138 3DGlasses
    1139 3DSynchronization
    113A MultiProfileSpecification
    113B MultiProfileSpecificationSC
    113C CTNAccess
    113D CTNNotification
    113E CTN
    1200 PnPInformation
    1201 GenericNetworking
    1202 GenericFileTransfer
    1203 GenericAudio
    1204 GenericTelephony
    1205 UPNPService
    1206 UPNPIPService
    1300 ESDPUPNPIPPAN
    1301 ESDPUPNPIPLAP
    1302 ESDPUPNPL2CAP
    1303 VideoSource
    1304 VideoSink
    1305 VideoDistribution
    1400 HealthDevice
    1401 HealthDeviceSource
    1402 HealthDeviceSink
    """
}
