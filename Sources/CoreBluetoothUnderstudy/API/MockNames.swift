// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The names of CoreBluetoothMock. With them, an app that uses that library changes only its imports.
public typealias CBMManagerState = CBManagerState
public typealias CBMManagerAuthorization = CBManagerAuthorization
public typealias CBMCentralManager = CBCentralManager
public typealias CBMCentralManagerDelegate = CBCentralManagerDelegate
public typealias CBMPeer = CBPeer
public typealias CBMPeripheral = CBPeripheral
public typealias CBMPeripheralState = CBPeripheralState
public typealias CBMPeripheralDelegate = CBPeripheralDelegate
public typealias CBMAttribute = CBAttribute
public typealias CBMService = CBService
public typealias CBMCharacteristic = CBCharacteristic
public typealias CBMCharacteristicProperties = CBCharacteristicProperties
public typealias CBMCharacteristicWriteType = CBCharacteristicWriteType
public typealias CBMDescriptor = CBDescriptor
public typealias CBML2CAPChannel = CBL2CAPChannel
public typealias CBML2CAPPSM = CBL2CAPPSM
public typealias CBMUUID = CBUUID
public typealias CBMError = CBError
public typealias CBMATTError = CBATTError
public typealias CBMConnectionEvent = CBConnectionEvent
public typealias CBMConnectionEventMatchingOption = CBConnectionEventMatchingOption

public var CBMCentralManagerOptionShowPowerAlertKey: String { CBCentralManagerOptionShowPowerAlertKey }
public var CBMCentralManagerOptionRestoreIdentifierKey: String { CBCentralManagerOptionRestoreIdentifierKey }
public var CBMCentralManagerScanOptionAllowDuplicatesKey: String { CBCentralManagerScanOptionAllowDuplicatesKey }
public var CBMCentralManagerScanOptionSolicitedServiceUUIDsKey: String {
  CBCentralManagerScanOptionSolicitedServiceUUIDsKey
}
public var CBMCentralManagerRestoredStatePeripheralsKey: String { CBCentralManagerRestoredStatePeripheralsKey }
public var CBMCentralManagerRestoredStateScanServicesKey: String { CBCentralManagerRestoredStateScanServicesKey }
public var CBMCentralManagerRestoredStateScanOptionsKey: String { CBCentralManagerRestoredStateScanOptionsKey }
public var CBMConnectPeripheralOptionNotifyOnConnectionKey: String { CBConnectPeripheralOptionNotifyOnConnectionKey }
public var CBMConnectPeripheralOptionNotifyOnDisconnectionKey: String {
  CBConnectPeripheralOptionNotifyOnDisconnectionKey
}
public var CBMConnectPeripheralOptionNotifyOnNotificationKey: String {
  CBConnectPeripheralOptionNotifyOnNotificationKey
}
public var CBMAdvertisementDataLocalNameKey: String { CBAdvertisementDataLocalNameKey }
public var CBMAdvertisementDataTxPowerLevelKey: String { CBAdvertisementDataTxPowerLevelKey }
public var CBMAdvertisementDataServiceUUIDsKey: String { CBAdvertisementDataServiceUUIDsKey }
public var CBMAdvertisementDataServiceDataKey: String { CBAdvertisementDataServiceDataKey }
public var CBMAdvertisementDataManufacturerDataKey: String { CBAdvertisementDataManufacturerDataKey }
public var CBMAdvertisementDataOverflowServiceUUIDsKey: String { CBAdvertisementDataOverflowServiceUUIDsKey }
public var CBMAdvertisementDataIsConnectable: String { CBAdvertisementDataIsConnectable }
public var CBMAdvertisementDataSolicitedServiceUUIDsKey: String { CBAdvertisementDataSolicitedServiceUUIDsKey }
public let CBML2CAPPSMCharacteristicString = CBUUIDL2CAPPSMCharacteristicString
