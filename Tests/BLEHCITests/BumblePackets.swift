// swift-format-ignore-file: LineLength

/// Packets that Bumble 0.0.236 makes: what it is, the name, the octets (`{n}` for n zero octets), and each field with its length. The
/// count that precedes a list is `*`, and is followed by the fields of one entry. Four packets are left out, because Bumble's lack fields of
/// the specification, or have another.
enum BumblePackets {
  static let lines = """
    command Accept_Connection_Request 01090407563412eeffc001 bd_addr:6 role:1
    command Accept_Synchronous_Connection_Request 01290415563412eeffc0212223243132333441425152011112 bd_addr:6 transmit_bandwidth:4 receive_bandwidth:4 max_latency:2 voice_setting:2 retransmission_effort:1 packet_type:2
    event Authentication_Complete 040603012122 status:1 connection_handle:2
    command Authentication_Requested 011104021112 connection_handle:2
    command Change_Connection_Packet_Type 010f040411122122 connection_handle:2 packet_type:2
    event Connection_Complete 04030b012122563412eeffc00101 status:1 connection_handle:2 bd_addr:6 link_type:1 encryption_enabled:1
    event Connection_Packet_Type_Changed 041d050121223132 status:1 connection_handle:2 packet_type:2
    event Connection_Request 04040a563412eeffc021222301 bd_addr:6 class_of_device:3 link_type:1
    command Create_Connection_Cancel 01080406563412eeffc0 bd_addr:6
    return Create_Connection_Cancel 00563412eeffc0 status:1 bd_addr:6
    command Create_Connection 0105040d563412eeffc021220101515201 bd_addr:6 packet_type:2 page_scan_repetition_mode:1 reserved:1 clock_offset:2 allow_role_switch:1
    command Delete_Stored_Link_Key 01120c07563412eeffc001 bd_addr:6 delete_all_flag:1
    return Delete_Stored_Link_Key 002122 status:1 num_keys_deleted:2
    command Disconnect 01060403111201 connection_handle:2 reason:1
    event Disconnection_Complete 04050401212201 status:1 connection_handle:2 reason:1
    event Encryption_Key_Refresh_Complete 043003012122 status:1 connection_handle:2
    event Enhanced_Flush_Complete 0439021112 handle:2
    command Exit_Sniff_Mode 010408021112 connection_handle:2
    event Extended_Inquiry_Result 042fff01563412eeffc001015152536162fb{240} num_responses:1 bd_addr:6 page_scan_repetition_mode:1 reserved:1 class_of_device:3 clock_offset:2 rssi:1 extended_inquiry_response:240
    command Host_Buffer_Size 01330c0711120131324142 host_acl_data_packet_length:2 host_synchronous_data_packet_length:1 host_total_num_acl_data_packets:2 host_total_num_synchronous_data_packets:2
    return Host_Buffer_Size 00 status:1
    event IO_Capability_Request 043106563412eeffc0 bd_addr:6
    command IO_Capability_Request_Negative_Reply 01340407563412eeffc001 bd_addr:6 reason:1
    return IO_Capability_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command IO_Capability_Request_Reply 012b0409563412eeffc0010101 bd_addr:6 io_capability:1 oob_data_present:1 authentication_requirements:1
    return IO_Capability_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    event IO_Capability_Response 043209563412eeffc0010101 bd_addr:6 io_capability:1 oob_data_present:1 authentication_requirements:1
    command Inquiry_Cancel 01020400
    return Inquiry_Cancel 00 status:1
    command Inquiry 010104051112130101 lap:3 inquiry_length:1 num_responses:1
    event Inquiry_Complete 04010101 status:1
    event Inquiry_Result 04020f01563412eeffc00101015152536162 *:1 bd_addr:6 page_scan_repetition_mode:1 reserved:2 class_of_device:3 clock_offset:2
    event Inquiry_Result_With_RSSI 04220f01563412eeffc001014142435152fb *:1 bd_addr:6 page_scan_repetition_mode:1 reserved:1 class_of_device:3 clock_offset:2 rssi:1
    event Keypress_Notification 043c07563412eeffc001 bd_addr:6 notification_type:1
    event Link_Key_Notification 041817563412eeffc002030405060708090a0b0c0d0e0f101101 bd_addr:6 link_key:16 key_type:1
    event Link_Key_Request 041706563412eeffc0 bd_addr:6
    command Link_Key_Request_Negative_Reply 010c0406563412eeffc0 bd_addr:6
    return Link_Key_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command Link_Key_Request_Reply 010b0416563412eeffc002030405060708090a0b0c0d0e0f1011 bd_addr:6 link_key:16
    return Link_Key_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    event Link_Supervision_Timeout_Changed 04380411122122 connection_handle:2 link_supervision_timeout:2
    event Max_Slots_Change 041b03111201 connection_handle:2 lmp_max_slots:1
    event Mode_Change 041406012122014142 status:1 connection_handle:2 current_mode:1 interval:2
    event Number_Of_Completed_Packets 0413050111122122 *:1 connection_handles:2 num_completed_packets:2
    event PIN_Code_Request 041606563412eeffc0 bd_addr:6
    command PIN_Code_Request_Negative_Reply 010e0406563412eeffc0 bd_addr:6
    return PIN_Code_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command PIN_Code_Request_Reply 010d0417563412eeffc001030405060708090a0b0c0d0e0f101112 bd_addr:6 pin_code_length:1 pin_code:16
    return PIN_Code_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    event Page_Scan_Repetition_Mode_Change 042007563412eeffc001 bd_addr:6 page_scan_repetition_mode:1
    command Read_Authentication_Enable 011f0c00
    return Read_Authentication_Enable 0001 status:1 authentication_enable:1
    command Read_BD_ADDR 01091000
    return Read_BD_ADDR 00563412eeffc0 status:1 bd_addr:6
    command Read_Buffer_Size 01051000
    return Read_Buffer_Size 0021220141425152 status:1 hc_acl_data_packet_length:2 hc_synchronous_data_packet_length:1 hc_total_num_acl_data_packets:2 hc_total_num_synchronous_data_packets:2
    command Read_Class_Of_Device 01230c00
    return Read_Class_Of_Device 00212223 status:1 class_of_device:3
    command Read_Clock_Offset 011f04021112 connection_handle:2
    event Read_Clock_Offset_Complete 041c050121223132 status:1 connection_handle:2 clock_offset:2
    command Read_Current_IAC_LAP 01390c00
    return Read_Current_IAC_LAP 0001010203 status:1 num_current_iac:1 iac_lap:3
    command Read_Default_Erroneous_Data_Reporting 015a0c00
    return Read_Default_Erroneous_Data_Reporting 0001 status:1 erroneous_data_reporting:1
    command Read_Encryption_Key_Size 010814021112 connection_handle:2
    return Read_Encryption_Key_Size 00212201 status:1 connection_handle:2 key_size:1
    command Read_Inquiry_Response_Transmit_Power_Level 01580c00
    return Read_Inquiry_Response_Transmit_Power_Level 00fb status:1 tx_power:1
    command Read_LE_Host_Support 016c0c00
    return Read_LE_Host_Support 000101 status:1 le_supported_host:1 unused:1
    command Read_Local_Extended_Features 0104100101 page_number:1
    return Read_Local_Extended_Features 0001010405060708090a0b status:1 page_number:1 maximum_page_number:1 extended_lmp_features:8
    command Read_Local_Name 01140c00
    return Read_Local_Name {249} status:1 local_name:248
    command Read_Local_OOB_Data 01570c00
    return Read_Local_OOB_Data 0002030405060708090a0b0c0d0e0f1011030405060708090a0b0c0d0e0f101112 status:1 c:16 r:16
    command Read_Local_OOB_Extended_Data 017d0c00
    command Read_Local_Supported_Commands 01021000
    return Read_Local_Supported_Commands {65} status:1 supported_commands:64
    command Read_Local_Supported_Features 01031000
    return Read_Local_Supported_Features 000203040506070809 status:1 lmp_features:8
    command Read_Local_Version_Information 01011000
    return Read_Local_Version_Information 000131320151526162 status:1 hci_version:1 hci_subversion:2 lmp_version:1 company_identifier:2 lmp_subversion:2
    command Read_Number_Of_Supported_IAC 01380c00
    return Read_Number_Of_Supported_IAC 0001 status:1 num_support_iac:1
    command Read_Page_Scan_Activity 011b0c00
    return Read_Page_Scan_Activity 0021223132 status:1 page_scan_interval:2 page_scan_window:2
    command Read_Page_Scan_Type 01460c00
    return Read_Page_Scan_Type 0001 status:1 page_scan_type:1
    command Read_RSSI 010514021112 handle:2
    return Read_RSSI 002122fb status:1 handle:2 rssi:1
    command Read_Remote_Extended_Features 011c0403111201 connection_handle:2 page_number:1
    event Read_Remote_Extended_Features_Complete 04230d012122010105060708090a0b0c status:1 connection_handle:2 page_number:1 maximum_page_number:1 extended_lmp_features:8
    command Read_Remote_Supported_Features 011b04021112 connection_handle:2
    event Read_Remote_Supported_Features_Complete 040b0b012122030405060708090a status:1 connection_handle:2 lmp_features:8
    command Read_Remote_Version_Information 011d04021112 connection_handle:2
    event Read_Remote_Version_Information_Complete 040c080121220141425152 status:1 connection_handle:2 version:1 manufacturer_name:2 subversion:2
    command Read_Simple_Pairing_Mode 01550c00
    return Read_Simple_Pairing_Mode 0001 status:1 simple_pairing_mode:1
    command Read_Stored_Link_Key 010d0c07563412eeffc001 bd_addr:6 read_all_flag:1
    return Read_Stored_Link_Key 0021223132 status:1 max_num_keys:2 num_keys_read:2
    command Read_Synchronous_Flow_Control_Enable 012e0c00
    return Read_Synchronous_Flow_Control_Enable 0001 status:1 synchronous_flow_control_enable:1
    command Read_Voice_Setting 01250c00
    return Read_Voice_Setting 002122 status:1 voice_setting:2
    command Reject_Connection_Request 010a0407563412eeffc001 bd_addr:6 reason:1
    command Reject_Synchronous_Connection_Request 012a0407563412eeffc001 bd_addr:6 reason:1
    event Remote_Host_Supported_Features_Notification 043d0e563412eeffc00203040506070809 bd_addr:6 host_supported_features:8
    command Remote_Name_Request 0119040a563412eeffc001014142 bd_addr:6 page_scan_repetition_mode:1 reserved:1 clock_offset:2
    event Remote_Name_Request_Complete 0407ff01563412eeffc0{248} status:1 bd_addr:6 remote_name:248
    event Remote_OOB_Data_Request 043506563412eeffc0 bd_addr:6
    command Remote_OOB_Data_Request_Negative_Reply 01330406563412eeffc0 bd_addr:6
    return Remote_OOB_Data_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command Remote_OOB_Data_Request_Reply 01300426563412eeffc002030405060708090a0b0c0d0e0f1011030405060708090a0b0c0d0e0f101112 bd_addr:6 c:16 r:16
    return Remote_OOB_Data_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    command Remote_OOB_Extended_Data_Request_Reply 01450446563412eeffc002030405060708090a0b0c0d0e0f1011030405060708090a0b0c0d0e0f1011120405060708090a0b0c0d0e0f1011121305060708090a0b0c0d0e0f1011121314 bd_addr:6 c_192:16 r_192:16 c_256:16 r_256:16
    command Reset 01030c00
    return Reset 00 status:1
    event Role_Change 04120801563412eeffc001 status:1 bd_addr:6 new_role:1
    command Send_Keypress_Notification 01600c07563412eeffc001 bd_addr:6 notification_type:1
    return Send_Keypress_Notification 00563412eeffc0 status:1 bd_addr:6
    command Set_Connection_Encryption 01130403111201 connection_handle:2 encryption_enable:1
    command Set_Controller_To_Host_Flow_Control 01310c0101 flow_control_enable:1
    return Set_Controller_To_Host_Flow_Control 00 status:1
    command Set_Event_Filter 01050c0401010203 filter_type:1 filter_condition:3
    return Set_Event_Filter 00 status:1
    command Set_Event_Mask 01010c080102030405060708 event_mask:8
    return Set_Event_Mask 00 status:1
    command Set_Event_Mask_Page_2 01630c080102030405060708 event_mask_page_2:8
    return Set_Event_Mask_Page_2 00 status:1
    event Simple_Pairing_Complete 04360701563412eeffc0 status:1 bd_addr:6
    command Sniff_Mode 0103080a11122122313241425152 connection_handle:2 sniff_max_interval:2 sniff_min_interval:2 sniff_attempt:2 sniff_timeout:2
    command Sniff_Subrating 011108081112212231324142 connection_handle:2 maximum_latency:2 minimum_remote_timeout:2 minimum_local_timeout:2
    return Sniff_Subrating 002122 status:1 connection_handle:2
    event Sniff_Subrating 042e0b0121223132414251526162 status:1 connection_handle:2 max_tx_latency:2 max_rx_latency:2 min_remote_timeout:2 min_local_timeout:2
    command Switch_Role 010b0807563412eeffc001 bd_addr:6 role:1
    event Synchronous_Connection_Changed 042d09012122010151526162 status:1 connection_handle:2 transmission_interval:1 retransmission_window:1 rx_packet_length:2 tx_packet_length:2
    event Synchronous_Connection_Complete 042c11012122563412eeffc00101011112212201 status:1 connection_handle:2 bd_addr:6 link_type:1 transmission_interval:1 retransmission_window:1 rx_packet_length:2 tx_packet_length:2 air_mode:1
    event User_Confirmation_Request 04330a563412eeffc021222324 bd_addr:6 numeric_value:4
    command User_Confirmation_Request_Negative_Reply 012d0406563412eeffc0 bd_addr:6
    return User_Confirmation_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command User_Confirmation_Request_Reply 012c0406563412eeffc0 bd_addr:6
    return User_Confirmation_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    event User_Passkey_Notification 043b0a563412eeffc021222324 bd_addr:6 passkey:4
    event User_Passkey_Request 043406563412eeffc0 bd_addr:6
    command User_Passkey_Request_Negative_Reply 012f0406563412eeffc0 bd_addr:6
    return User_Passkey_Request_Negative_Reply 00563412eeffc0 status:1 bd_addr:6
    command User_Passkey_Request_Reply 012e040a563412eeffc021222324 bd_addr:6 numeric_value:4
    return User_Passkey_Request_Reply 00563412eeffc0 status:1 bd_addr:6
    command Write_Authenticated_Payload_Timeout 017c0c0411122122 connection_handle:2 authenticated_payload_timeout:2
    command Write_Authentication_Enable 01200c0101 authentication_enable:1
    return Write_Authentication_Enable 00 status:1
    command Write_Class_Of_Device 01240c03111213 class_of_device:3
    return Write_Class_Of_Device 00 status:1
    command Write_Connection_Accept_Timeout 01160c021112 connection_accept_timeout:2
    return Write_Connection_Accept_Timeout 00 status:1
    command Write_Default_Link_Policy_Settings 010f08021112 default_link_policy_settings:2
    return Write_Default_Link_Policy_Settings 00 status:1
    command Write_Extended_Inquiry_Response 01520cf101{240} fec_required:1 extended_inquiry_response:240
    return Write_Extended_Inquiry_Response 00 status:1
    command Write_Inquiry_Mode 01450c0101 inquiry_mode:1
    return Write_Inquiry_Mode 00 status:1
    command Write_Inquiry_Scan_Activity 011e0c0411122122 inquiry_scan_interval:2 inquiry_scan_window:2
    return Write_Inquiry_Scan_Activity 00 status:1
    command Write_Inquiry_Scan_Type 01430c0101 scan_type:1
    return Write_Inquiry_Scan_Type 00 status:1
    command Write_LE_Host_Support 016d0c020101 le_supported_host:1 simultaneous_le_host:1
    return Write_LE_Host_Support 00 status:1
    command Write_Link_Policy_Settings 010d080411122122 connection_handle:2 link_policy_settings:2
    return Write_Link_Policy_Settings 002122 status:1 connection_handle:2
    command Write_Link_Supervision_Timeout 01370c0411122122 handle:2 link_supervision_timeout:2
    return Write_Link_Supervision_Timeout 002122 status:1 handle:2
    command Write_Local_Name 01130cf8{248} local_name:248
    return Write_Local_Name 00 status:1
    command Write_Page_Scan_Activity 011c0c0411122122 page_scan_interval:2 page_scan_window:2
    return Write_Page_Scan_Activity 00 status:1
    command Write_Page_Scan_Type 01470c0101 page_scan_type:1
    return Write_Page_Scan_Type 00 status:1
    command Write_Page_Timeout 01180c021112 page_timeout:2
    return Write_Page_Timeout 00 status:1
    command Write_Scan_Enable 011a0c0101 scan_enable:1
    return Write_Scan_Enable 00 status:1
    command Write_Secure_Connections_Host_Support 017a0c0101 secure_connections_host_support:1
    return Write_Secure_Connections_Host_Support 00 status:1
    command Write_Simple_Pairing_Mode 01560c0101 simple_pairing_mode:1
    return Write_Simple_Pairing_Mode 00 status:1
    command Write_Synchronous_Flow_Control_Enable 012f0c0101 synchronous_flow_control_enable:1
    return Write_Synchronous_Flow_Control_Enable 00 status:1
    command Write_Voice_Setting 01260c021112 voice_setting:2
    return Write_Voice_Setting 00 status:1
    """
}
