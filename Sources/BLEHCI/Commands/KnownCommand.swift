/// A known command: its opcode, name, and bit in the mask of supported commands.
struct KnownCommand: Sendable {
  let opcode: CommandOpcode
  /// The name in the Core Specification without `HCI_`.
  let name: String
  /// The bit in Supported_Commands, counted from bit 0 of octet 0; nil if the command has none.
  let supportBit: Int?

  init(_ opcode: CommandOpcode, _ name: String, _ octet: Int? = nil, _ bit: Int = 0) {
    self.opcode = opcode
    self.name = name
    supportBit = octet.map { $0 * 8 + bit }
  }

  /// All known commands, sorted by opcode for binary search (Core 5.4 Vol 4 Part E 6.27 and 7).
  static let all = (common + classic).sorted { $0.opcode.rawValue < $1.opcode.rawValue }

  /// The commands that LE controllers have, and those of vendors.
  private static let common: [KnownCommand] = [
    KnownCommand(.disconnect, "Disconnect", 0, 5),
    KnownCommand(.readRemoteVersionInformation, "Read_Remote_Version_Information", 2, 7),
    KnownCommand(.setEventMask, "Set_Event_Mask", 5, 6),
    KnownCommand(.reset, "Reset", 5, 7),
    KnownCommand(.writeLocalName, "Write_Local_Name", 7, 0),
    KnownCommand(.readLocalName, "Read_Local_Name", 7, 1),
    KnownCommand(.readTransmitPowerLevel, "Read_Transmit_Power_Level", 10, 2),
    KnownCommand(.setControllerToHostFlowControl, "Set_Controller_To_Host_Flow_Control", 10, 5),
    KnownCommand(.hostBufferSize, "Host_Buffer_Size", 10, 6),
    KnownCommand(.hostNumberOfCompletedPackets, "Host_Number_Of_Completed_Packets", 10, 7),
    KnownCommand(.setEventMaskPage2, "Set_Event_Mask_Page_2", 22, 2),
    KnownCommand(.readLEHostSupport, "Read_LE_Host_Support", 24, 5),
    KnownCommand(.writeLEHostSupport, "Write_LE_Host_Support", 24, 6),
    KnownCommand(.readAuthenticatedPayloadTimeout, "Read_Authenticated_Payload_Timeout", 32, 4),
    KnownCommand(.writeAuthenticatedPayloadTimeout, "Write_Authenticated_Payload_Timeout", 32, 5),
    KnownCommand(.readLocalVersionInformation, "Read_Local_Version_Information", 14, 3),
    KnownCommand(.readLocalSupportedCommands, "Read_Local_Supported_Commands"),
    KnownCommand(.readLocalSupportedFeatures, "Read_Local_Supported_Features", 14, 5),
    KnownCommand(.readBufferSize, "Read_Buffer_Size", 14, 7),
    KnownCommand(.readBDADDR, "Read_BD_ADDR", 15, 1),
    KnownCommand(.readRSSI, "Read_RSSI", 15, 5),
    KnownCommand(.leSetEventMask, "LE_Set_Event_Mask", 25, 0),
    KnownCommand(.leReadBufferSize, "LE_Read_Buffer_Size", 25, 1),
    KnownCommand(.leReadLocalSupportedFeatures, "LE_Read_Local_Supported_Features", 25, 2),
    KnownCommand(.leSetRandomAddress, "LE_Set_Random_Address", 25, 4),
    KnownCommand(.leSetAdvertisingParameters, "LE_Set_Advertising_Parameters", 25, 5),
    KnownCommand(.leReadAdvertisingPhysicalChannelTxPower, "LE_Read_Advertising_Physical_Channel_Tx_Power", 25, 6),
    KnownCommand(.leSetAdvertisingData, "LE_Set_Advertising_Data", 25, 7),
    KnownCommand(.leSetScanResponseData, "LE_Set_Scan_Response_Data", 26, 0),
    KnownCommand(.leSetAdvertisingEnable, "LE_Set_Advertising_Enable", 26, 1),
    KnownCommand(.leSetScanParameters, "LE_Set_Scan_Parameters", 26, 2),
    KnownCommand(.leSetScanEnable, "LE_Set_Scan_Enable", 26, 3),
    KnownCommand(.leCreateConnection, "LE_Create_Connection", 26, 4),
    KnownCommand(.leCreateConnectionCancel, "LE_Create_Connection_Cancel", 26, 5),
    KnownCommand(.leReadFilterAcceptListSize, "LE_Read_Filter_Accept_List_Size", 26, 6),
    KnownCommand(.leClearFilterAcceptList, "LE_Clear_Filter_Accept_List", 26, 7),
    KnownCommand(.leAddDeviceToFilterAcceptList, "LE_Add_Device_To_Filter_Accept_List", 27, 0),
    KnownCommand(.leRemoveDeviceFromFilterAcceptList, "LE_Remove_Device_From_Filter_Accept_List", 27, 1),
    KnownCommand(.leConnectionUpdate, "LE_Connection_Update", 27, 2),
    KnownCommand(.leSetHostChannelClassification, "LE_Set_Host_Channel_Classification", 27, 3),
    KnownCommand(.leReadChannelMap, "LE_Read_Channel_Map", 27, 4),
    KnownCommand(.leReadRemoteFeatures, "LE_Read_Remote_Features", 27, 5),
    KnownCommand(.leEncrypt, "LE_Encrypt", 27, 6),
    KnownCommand(.leRand, "LE_Rand", 27, 7),
    KnownCommand(.leEnableEncryption, "LE_Enable_Encryption", 28, 0),
    KnownCommand(.leLongTermKeyRequestReply, "LE_Long_Term_Key_Request_Reply", 28, 1),
    KnownCommand(.leLongTermKeyRequestNegativeReply, "LE_Long_Term_Key_Request_Negative_Reply", 28, 2),
    KnownCommand(.leReadSupportedStates, "LE_Read_Supported_States", 28, 3),
    KnownCommand(.leRemoteConnectionParameterRequestReply, "LE_Remote_Connection_Parameter_Request_Reply", 33, 4),
    KnownCommand(
      .leRemoteConnectionParameterRequestNegativeReply, "LE_Remote_Connection_Parameter_Request_Negative_Reply", 33, 5),
    KnownCommand(.leSetDataLength, "LE_Set_Data_Length", 33, 6),
    KnownCommand(.leReadSuggestedDefaultDataLength, "LE_Read_Suggested_Default_Data_Length", 33, 7),
    KnownCommand(.leWriteSuggestedDefaultDataLength, "LE_Write_Suggested_Default_Data_Length", 34, 0),
    KnownCommand(.leReadLocalP256PublicKey, "LE_Read_Local_P-256_Public_Key", 34, 1),
    KnownCommand(.leGenerateDHKey, "LE_Generate_DHKey_[v1]", 34, 2),
    KnownCommand(.leAddDeviceToResolvingList, "LE_Add_Device_To_Resolving_List", 34, 3),
    KnownCommand(.leRemoveDeviceFromResolvingList, "LE_Remove_Device_From_Resolving_List", 34, 4),
    KnownCommand(.leClearResolvingList, "LE_Clear_Resolving_List", 34, 5),
    KnownCommand(.leReadResolvingListSize, "LE_Read_Resolving_List_Size", 34, 6),
    KnownCommand(.leReadPeerResolvableAddress, "LE_Read_Peer_Resolvable_Address", 34, 7),
    KnownCommand(.leReadLocalResolvableAddress, "LE_Read_Local_Resolvable_Address", 35, 0),
    KnownCommand(.leSetAddressResolutionEnable, "LE_Set_Address_Resolution_Enable", 35, 1),
    KnownCommand(.leSetResolvablePrivateAddressTimeout, "LE_Set_Resolvable_Private_Address_Timeout", 35, 2),
    KnownCommand(.leReadMaximumDataLength, "LE_Read_Maximum_Data_Length", 35, 3),
    KnownCommand(.leReadPHY, "LE_Read_PHY", 35, 4),
    KnownCommand(.leSetDefaultPHY, "LE_Set_Default_PHY", 35, 5),
    KnownCommand(.leSetPHY, "LE_Set_PHY", 35, 6),
    KnownCommand(.leSetAdvertisingSetRandomAddress, "LE_Set_Advertising_Set_Random_Address", 36, 1),
    KnownCommand(.leSetExtendedAdvertisingParameters, "LE_Set_Extended_Advertising_Parameters_[v1]", 36, 2),
    KnownCommand(.leSetExtendedAdvertisingData, "LE_Set_Extended_Advertising_Data", 36, 3),
    KnownCommand(.leSetExtendedScanResponseData, "LE_Set_Extended_Scan_Response_Data", 36, 4),
    KnownCommand(.leSetExtendedAdvertisingEnable, "LE_Set_Extended_Advertising_Enable", 36, 5),
    KnownCommand(.leReadMaximumAdvertisingDataLength, "LE_Read_Maximum_Advertising_Data_Length", 36, 6),
    KnownCommand(.leReadNumberOfSupportedAdvertisingSets, "LE_Read_Number_Of_Supported_Advertising_Sets", 36, 7),
    KnownCommand(.leRemoveAdvertisingSet, "LE_Remove_Advertising_Set", 37, 0),
    KnownCommand(.leClearAdvertisingSets, "LE_Clear_Advertising_Sets", 37, 1),
    KnownCommand(.leSetExtendedScanParameters, "LE_Set_Extended_Scan_Parameters", 37, 5),
    KnownCommand(.leSetExtendedScanEnable, "LE_Set_Extended_Scan_Enable", 37, 6),
    KnownCommand(.leExtendedCreateConnection, "LE_Extended_Create_Connection_[v1]", 37, 7),
    KnownCommand(.leReadTransmitPower, "LE_Read_Transmit_Power", 38, 7),
    KnownCommand(.leReadRFPathCompensation, "LE_Read_RF_Path_Compensation", 39, 0),
    KnownCommand(.leWriteRFPathCompensation, "LE_Write_RF_Path_Compensation", 39, 1),
    KnownCommand(.leSetPrivacyMode, "LE_Set_Privacy_Mode", 39, 2),
    KnownCommand(.leGenerateDHKeyV2, "LE_Generate_DHKey_[v2]", 41, 2),
    KnownCommand(.leReadBufferSizeV2, "LE_Read_Buffer_Size_[v2]", 41, 5),
    KnownCommand(.zephyrReadVersionInformation, "Zephyr_Read_Version_Information"),
    KnownCommand(.zephyrReadSupportedCommands, "Zephyr_Read_Supported_Commands"),
    KnownCommand(.zephyrWriteBDADDR, "Zephyr_Write_BD_ADDR"),
    KnownCommand(.zephyrReadBuildInformation, "Zephyr_Read_Build_Information"),
    KnownCommand(.zephyrReadStaticAddresses, "Zephyr_Read_Static_Addresses"),
    KnownCommand(.zephyrWriteTxPowerLevel, "Zephyr_Write_Tx_Power_Level"),
    KnownCommand(.zephyrReadTxPowerLevel, "Zephyr_Read_Tx_Power_Level"),
  ]

  /// Returns the entry of an opcode.
  static func find(_ opcode: CommandOpcode) -> KnownCommand? {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].opcode.rawValue < opcode.rawValue { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].opcode == opcode ? all[low] : nil
  }
}
