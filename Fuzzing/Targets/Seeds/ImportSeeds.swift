/// The inputs of `ImportTarget`: a short file of each format, whose format is recognized from its content.
enum ImportSeeds {
  static var all: [Seed] { texts.map { Seed($0.name, [0xFF] + Array($0.text.utf8)) } }

  private static let texts: [(name: String, text: String)] = [
    (
      "nrf-connect-xml",
      """
      <server-configurations><server-configuration name="Lamp"><service uuid="0000fff0-0000-1000-8000-00805f9b34fb">
      <characteristic uuid="0000fff1-0000-1000-8000-00805f9b34fb" value="0x0102"><permissions><read/><write/></permissions>
      <properties><read/><notify/></properties><descriptor uuid="00002901-0000-1000-8000-00805f9b34fb" value-string="A &amp; b"/>
      </characteristic></service></server-configuration></server-configurations>
      """
    ),
    (
      "silicon-labs",
      """
      <gatt><service uuid="180f" advertise="true" id="b"><include id="d"/><characteristic uuid="2a19" id="level">
      <properties><read authenticated="true"/><notify/></properties><value length="1" type="hex">64</value>
      <descriptor uuid="2904"><value>0400AD2701</value></descriptor></characteristic></service><service uuid="180a" id="d"/></gatt>
      """
    ),
    (
      "bumble",
      """
      { "name": "Lamp", "address": "F0:F1:F2:F3:F4:F5", "gatt_services": [ { "uuid": "FFF0", "characteristics": [
      { "uuid": "FFF1", "properties": "READ,NOTIFY", "permissions": "READABLE", "descriptors": [ { "descriptor_type": "2901" } ] } ] } ] }
      """
    ),
    (
      "services",
      #"{ "services": [ { "uuid": "180F", "characteristics": [ { "uuid": "2A19", "properties": ["read"], "value": "64" } ] } ] }"#
    ),
    ("numbers", #"[ { "name": "Battery Service", "identifier": "org.battery", "uuid": "180F", "source": "gss" } ]"#),
    ("bthome", #"[ { "object_id": "0x02", "value": 21.5 }, { "object_id": "0x03", "value": 50 } ]"#),
    ("bthome-digits", "D2FC40020A0803BF13"),
    (
      "btstack",
      """
      PRIMARY_SERVICE, GAP_SERVICE
      CHARACTERISTIC, GAP_DEVICE_NAME, READ, "Lamp"
      PRIMARY_SERVICE, 0000AA10-7C4D-4B0E-9E4B-1F6E2A1B9C00
      CHARACTERISTIC, 0000AA11-7C4D-4B0E-9E4B-1F6E2A1B9C00, READ | WRITE | DYNAMIC | ENCRYPTION_KEY_SIZE_16,
      CHARACTERISTIC_USER_DESCRIPTION, READ, "x" // a comment
      """
    ),
    (
      "zephyr",
      """
      static uint8_t value[] = { 1, 0x02 };
      BT_GATT_SERVICE_DEFINE(svc, BT_GATT_PRIMARY_SERVICE(BT_UUID_BAS),
        BT_GATT_CHARACTERISTIC(BT_UUID_BAS_BATTERY_LEVEL, BT_GATT_CHRC_READ | BT_GATT_CHRC_NOTIFY, BT_GATT_PERM_READ_ENCRYPT,
        read, NULL, value), BT_GATT_CCC(changed, BT_GATT_PERM_READ), BT_GATT_CUD("Level", BT_GATT_PERM_READ));
      """
    ),
    (
      "esp-idf",
      """
      static const uint16_t svc = 0xFFF0, chr = 0xFFF1, primary = ESP_GATT_UUID_PRI_SERVICE, decl = ESP_GATT_UUID_CHAR_DECLARE;
      static const uint8_t prop = ESP_GATT_CHAR_PROP_BIT_READ; static uint8_t v[1] = { 7 };
      static const esp_gatts_attr_db_t db[3] = {
        [0] = {{1}, {ESP_UUID_LEN_16, (uint8_t *)&primary, ESP_GATT_PERM_READ, 2, sizeof(svc), (uint8_t *)&svc}},
        [1] = {{1}, {ESP_UUID_LEN_16, (uint8_t *)&decl, ESP_GATT_PERM_READ, 1, 1, (uint8_t *)&prop}},
        [2] = {{1}, {ESP_UUID_LEN_16, (uint8_t *)&chr, ESP_GATT_PERM_READ, 1, sizeof(v), v}} };
      """
    ),
    (
      "nimble",
      """
      static const struct ble_gatt_svc_def svcs[] = { { .type = BLE_GATT_SVC_TYPE_PRIMARY, .uuid = BLE_UUID16_DECLARE(0xFFF0),
        .characteristics = (struct ble_gatt_chr_def[]) { { .uuid = BLE_UUID16_DECLARE(0xFFF1), .access_cb = f,
        .flags = BLE_GATT_CHR_F_READ | BLE_GATT_CHR_F_NOTIFY }, { 0 } } }, { 0 } };
      """
    ),
  ]
}
