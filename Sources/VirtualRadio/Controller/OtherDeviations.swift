extension DeviationTable {
  /// Apache NimBLE's controller.
  static let nimble = DeviationTable(
    presets: "`nimble`",
    versions: "NimBLE at 1e8ed6027 (after 1.9.0), below `nimble/controller/src`",
    rows: [
      Row(
        .takesAnyAdvertisingHandle, "LE Set Extended Advertising Parameters",
        "7.8.53: handles up to 0xEF",
        "not checked",
        "`ble_ll_adv_ext_set_param`, ble_ll_adv.c"),
      Row(
        .enablesSetsOneByOne, "LE Set Extended Advertising Enable",
        "7.8.56: an error leaves all sets as they were",
        "sets before the one that fails when it starts stay enabled",
        "`ble_ll_adv_ext_set_enable`, ble_ll_adv.c"),
      Row(
        .keepsEnabledSet, "LE Set Extended Advertising Enable",
        "7.8.56: a new address takes effect when an enabled set is enabled again",
        "it does not",
        "`ble_ll_adv_set_enable`, ble_ll_adv.c"),
      Row(
        .cutsConnectableData, "LE Set Extended Advertising Enable",
        "7.8.56: 0x12 if the data of a connectable set does not fit in AUX_ADV_IND (Vol 6 Part B 2.3.1.6)",
        "Success, and the data is truncated",
        "`ble_ll_adv_aux_calculate_payload`, ble_ll_adv.c"),
      Row(
        .refusesZeroAddress, "LE Set Advertising Enable, LE Set Extended Advertising Enable",
        "7.8.9, 7.8.56: 0x12 for a random address that was not set; nothing about a public one",
        "0x12 for an address of zeros of either type",
        "`ble_ll_is_valid_own_addr_type`, ble_ll.c"),
      Row(
        .takesAnyListedAddressType, "LE Add Device To Filter Accept List",
        "7.8.16: 0x12 for a reserved address type",
        "not checked",
        "`ble_ll_whitelist_add`, ble_ll_whitelist.c"),
      Row(
        .changesUsedAcceptList,
        "LE Add Device To and Remove Device From Filter Accept List, LE Clear Filter Accept List",
        "7.8.15 to 7.8.17: 0x0C while anything on the air uses it",
        "0x0C only while both advertising and scanning or initiating do",
        "`ble_ll_whitelist_chg_allowed`, ble_ll_whitelist.c"),
      Row(
        .takesUnaskedParameterReply, "LE Remote Connection Parameter Request (Negative) Reply",
        "7.8.31, 7.8.32: an error without a request",
        "Success",
        "`ble_ll_conn_hci_param_rr`, ble_ll_conn_hci.c"),
      Row(
        .assertsPacketType, "an octet that starts no H4 packet",
        "Vol 4 Part A 4: synchronization is lost",
        "assertion",
        "nimble/transport/common/hci_h4/src/hci_h4.c"),
      Row(
        .assertsDataBuffers, "more ACL packets than buffers",
        "7.7.26: Data Buffer Overflow",
        "assertion",
        "nimble/transport/common/hci_h4/src/hci_h4.c"),
      Row(
        .assertsOneCommand, "a second command before the answer",
        "4.4: one at a time",
        "it restarts",
        "one command buffer; seen on a running controller"),
    ])

  /// RootCanal, Android's virtual controller.
  static let rootcanal = DeviationTable(
    presets: "`rootcanal`",
    versions: "RootCanal at 39d127f (about 1.13.0), below `model/controller`",
    rows: [
      Row(
        .refusesAddressOfEnabledSet, "LE Set Advertising Set Random Address",
        "7.8.52: Success for a set that is not connectable",
        "0x0C for any set that is enabled",
        "`LeSetAdvertisingSetRandomAddress`, le_advertiser.cc"),
      Row(
        .completesUnknownCommands, "unknown commands",
        "4.5: usually Command Status",
        "Command Complete with 0x01",
        "`SendCommandCompleteUnknownOpCodeEvent`, dual_mode_controller.cc"),
      Row(
        .assertsParameterLength, "parameters of a wrong length",
        "Vol 1 Part F 2.18: 0x12",
        "the process aborts",
        "`CHECK_PACKET_VIEW`, dual_mode_controller.cc"),
      Row(
        property: "fatalCommands",
        "Set Controller To Host Flow Control, Host Number Of Completed Packets, Read and Write Authenticated Payload Timeout, LE Read Channel Map, LE Set Host Channel Classification, LE Generate DHKey, LE Read and Write RF Path Compensation",
        "6.27: the mask names what is supported",
        "the mask has them, and the process aborts",
        "`SupportedCommands`, controller_properties.cc; no handler in dual_mode_controller.cc"),
    ])
}
