// Read in the sources; nearly all of it was also observed on running link layers of both versions.
extension DeviationTable {
  /// Zephyr's controller, in every build.
  static let zephyr = DeviationTable(
    presets: "`zephyr-hci-uart`, `zephyr-extended`",
    versions: "Zephyr 3.5.0 and 4.0.0, below `subsys/bluetooth/controller`",
    rows: [
      Row(
        .takesAnyAdvertisingParameters, "LE Set Advertising Parameters",
        "7.8.5: 0x12 for values out of range",
        "Success for any type, own and peer address type, channel map and filter policy; 0x0C at enable for no channel",
        "`ll_adv_params_set`, ll_sw/ull_adv.c"),
      Row(
        .reservesConnections, "LE Set Advertising Enable, LE Set Extended Advertising Enable",
        "7.8.9, 7.8.56: nothing about connections",
        "each connectable set occupies a connection; 0x07 if none is left",
        "`ll_adv_enable`, ll_sw/ull_adv.c"),
      Row(
        .takesAddressDuringPassiveScanning, "LE Set Random Address",
        "7.8.4: 0x0C during scanning",
        "Success during passive scanning",
        "`ll_addr_set`, ll_sw/ll_addr.c"),
      Row(
        .takesAnyScanParameters, "LE Set (Extended) Scan Parameters",
        "7.8.10, 7.8.64: 0x12 for a reserved type, a window above the interval, an interval below 2.5 ms",
        "Success",
        "`ll_scan_params_set`, ll_sw/ull_scan.c"),
      Row(
        .takesAnyListedAddressType, "LE Add Device To Filter Accept List",
        "7.8.16: 0x12 for a reserved address type",
        "not checked",
        "`ll_fal_add`, ll_sw/ull_filter.c"),
      Row(
        .refusesUnlistedDevice, "LE Remove Device From Filter Accept List",
        "7.8.17: no error for a device that is not on it",
        "0x02",
        "`ll_fal_remove`, ll_sw/ull_filter.c"),
      Row(
        .knowsFirstHandleBeforeReset, "Read RSSI, LE Read PHY, LE Read Channel Map",
        "7.5.4, 7.8.47, 7.8.20: 0x02 for a handle without a link",
        "from boot until HCI Reset, Success for handle 0: 0 dBm, PHYs 0 and 0, a channel map of zeros",
        "seen on the running link layer of 3.3"),
      Row(
        .disallowsUnknownDisconnect, "Disconnect",
        "7.1.6: 0x02 for a handle without a link",
        "0x0C for a handle below the maximum number of links",
        "`ll_terminate_ind_send`, ll_sw/ull_conn.c"),
      Row(
        .takesSecondDisconnect, "Disconnect",
        "7.1.6: no second one",
        "Success for the second one, and one event",
        "`ll_terminate_ind_send`, ll_sw/ull_conn.c"),
      Row(
        .beginsInvalidConnectionUpdate, "LE Connection Update by a peripheral",
        "7.8.18: 0x12 for values out of range",
        "Success, and LE Connection Update Complete with 0x1E, because the central refuses",
        "`le_conn_update`, hci/hci.c"),
      Row(
        .takesUnaskedParameterReply, "LE Remote Connection Parameter Request (Negative) Reply",
        "7.8.31, 7.8.32: an error without a request",
        "Success",
        "`ll_conn_update`, ll_sw/ull_conn.c"),
      Row(
        .takesAnyDefaultPHY, "LE Set Default PHY",
        "7.8.48: 0x12 for none, 0x11 for reserved bits",
        "Success",
        "`ll_phy_default_set`, ll_sw/ull_conn.c"),
      Row(
        .leavesHostBufferStatus, "Host Buffer Size",
        "7.3.39: Success",
        "the status is an octet of an older event (0x00, 0x0C, 0x12 seen); the command still takes effect",
        "`host_buffer_size`, hci/hci.c"),
      Row(
        .keepsHostBufferSize, "Host Buffer Size",
        "7.3.39: may be repeated without connections",
        "0x0C until HCI Reset",
        "`host_buffer_size`, hci/hci.c"),
      Row(
        .refusesShortHostBuffers, "Host Buffer Size",
        "4.2, 7.3.39: any length; the controller splits packets",
        "0x12 below the longest data PDU",
        "`host_buffer_size`, hci/hci.c"),
      Row(
        .takesHostBufferSizeInConnection, "Host Buffer Size",
        "7.3.39: 0x0C during a connection",
        "accepted, and takes effect after the connection",
        "`host_buffer_size`, hci/hci.c"),
      Row(
        .countsBuffersBeforeFault, "Host Number Of Completed Packets",
        "7.3.40: an error, so nothing is counted",
        "entries before the faulty one are counted",
        "`host_num_completed_packets`, hci/hci.c"),
      Row(
        .ignoresParameterLength, "any",
        "Vol 1 Part F 2.18: 0x12 for a wrong length",
        "not checked: octets that an earlier command left, here zeros",
        "`hci_cmd_handle`, hci/hci.c"),
      Row(
        property: "commandBuffers", "several commands at once",
        "4.4: one at a time",
        "those after the tenth are lost",
        "prj.conf of the sample (`CONFIG_BT_BUF_CMD_TX_COUNT`); of 14 commands 4.0 answers 10, 3.5 answers 11"),
      Row(
        .losesBufferOfBadFlags, "ACL data with flags that LE does not have",
        "5.4.2: hosts do not send it",
        "the packet's buffer is lost until HCI Reset",
        "`hci_acl_handle`, hci/hci.c"),
      Row(
        .discardsLongData, "ACL data longer than LE Read Buffer Size says",
        "5.4.2: hosts do not send it; 7.7.26: Data Buffer Overflow",
        "discarded without an event; Number Of Completed Packets never counts it",
        "`hci_acl_handle`, hci/hci.c"),
    ])

  /// Zephyr's controller built with extended advertising.
  static let zephyrExtended = DeviationTable(
    presets: "`zephyr-extended` in addition",
    versions: "Zephyr 3.5.0 and 4.0.0, below `subsys/bluetooth/controller`",
    rows: [
      Row(
        .takesAddressOfConnectableSet, "LE Set Advertising Set Random Address",
        "7.8.52: 0x0C for a connectable set that is enabled",
        "Success; on the air from the next enable on",
        "`ll_adv_aux_random_addr_set`, ll_sw/ull_adv_aux.c (also 2.4.99 to 3.3)"),
      Row(
        .keepsSetAddresses, "LE Set Advertising Set Random Address",
        "7.8.52, 7.8.56: a new set has no random address",
        "a new set has the address of the previous set in its place, even after HCI Reset",
        "`ll_adv_aux_set_remove`, ll_sw/ull_adv_aux.c"),
      Row(
        .refusesIntervalsAsUnsupported, "LE Set Extended Advertising Parameters",
        "7.8.53: 0x12 for an interval below 20 ms, or a minimum above the maximum",
        "0x11",
        "`ll_adv_params_set`, ll_sw/ull_adv.c"),
      Row(
        .takesAnyAdvertisingParameters, "LE Set Extended Advertising Parameters",
        "7.8.53: 0x12 for values out of range",
        "Success for most properties, PHYs, SIDs, address types, channel maps and filter policies; 0x11 for anonymous legacy advertising",
        "`le_set_ext_adv_param`, hci/hci.c; `ll_adv_params_set`, ll_sw/ull_adv.c"),
      Row(
        .echoesTransmitPower, "LE Set Extended Advertising Parameters",
        "7.8.53: Selected_Tx_Power is the power that the controller selected",
        "what the host requested, including out-of-range values and 127",
        "`ll_adv_params_set`, ll_sw/ull_adv.c, built without `CONFIG_BT_CTLR_TX_PWR_DYNAMIC_CONTROL`"),
      Row(
        .dropsDataOfChangedSet, "LE Set Extended Advertising Parameters",
        "7.8.53: 0x12 if the set has more data than its new type allows",
        "Success, and the data is lost",
        "`ll_adv_params_set`, ll_sw/ull_adv.c"),
      Row(
        .refusesLongDataAsUnspecified, "LE Set Extended Advertising Data",
        "7.8.54: 0x07 for more than the set holds",
        "0x07 up to 199 octets in a connectable set, then 0x1F",
        "`ull_adv_aux_hdr_set_clear`, ll_sw/ull_adv_aux.c; built without chains `ll_adv_aux_ad_data_set` answers 0x0C"),
      Row(
        .takesAnyDataOperation, "LE Set Extended Advertising Data",
        "7.8.54: 0x12 for a fragment of a legacy set, an empty fragment, reserved operations, and operation 4 on a set that is not enabled",
        "Success; operation 5 on a legacy set causes an assertion",
        "`ll_adv_aux_ad_data_set`, ll_sw/ull_adv_aux.c"),
      Row(
        .takesDataOfDirectedSet, "LE Set Extended Advertising Data",
        "7.8.54: 0x12 for a directed legacy set",
        "Success",
        "`ll_adv_aux_ad_data_set`, ll_sw/ull_adv_aux.c"),
      Row(
        .enablesIncompleteData, "LE Set Extended Advertising Enable",
        "7.8.56: 0x0C while the last fragment of the data is missing",
        "Success",
        "`ll_adv_enable`, ll_sw/ull_adv.c"),
      Row(
        .enablesSetsOneByOne, "LE Set Extended Advertising Enable",
        "7.8.56: an error leaves all sets as they were",
        "sets before the one that fails stay enabled",
        "`le_set_ext_adv_enable`, hci/hci.c"),
      Row(
        .takesAnyHighDutyDuration, "LE Set Extended Advertising Enable",
        "7.8.56: 0x12 for high duty cycle directed advertising without a duration, or for longer than 1.28 s",
        "Success",
        "`le_set_ext_adv_enable`, hci/hci.c"),
      Row(
        .clearsIdleSets, "LE Clear Advertising Sets",
        "7.8.60: 0x0C while a set is enabled, and nothing changes",
        "0x0C, and the sets that are not enabled are removed",
        "`ll_adv_aux_set_clear`, ll_sw/ull_adv_aux.c"),
    ])
}
