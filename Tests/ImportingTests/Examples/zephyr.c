/* A door bell with Zephyr's static tables. */
#include <zephyr/bluetooth/gatt.h>

#define BELL_SERVICE_VAL BT_UUID_128_ENCODE(0x0000dd10, 0x7c4d, 0x4b0e, 0x9e4b, 0x1f6e2a1b9c00)
#define BT_UUID_BELL_RINGS \
	BT_UUID_DECLARE_128(BT_UUID_128_ENCODE(0x0000dd11, 0x7c4d, 0x4b0e, 0x9e4b, 0x1f6e2a1b9c00))

static const struct bt_uuid_128 bell_service_uuid = BT_UUID_INIT_128(BELL_SERVICE_VAL);
static struct bt_uuid_128 melody_uuid = BT_UUID_INIT_128(
	BT_UUID_128_ENCODE(0x0000dd12, 0x7c4d, 0x4b0e, 0x9e4b, 0x1f6e2a1b9c00));
static uint8_t rings[] = { 3, 0x00 };
static char melody[21] = { "Big Ben" };
static const struct bt_gatt_cpf format = { .format = 0x04, .unit = 0x27AD, .name_space = 0x01 };

BT_GATT_SERVICE_DEFINE(bell_svc,
	BT_GATT_PRIMARY_SERVICE(&bell_service_uuid),
	BT_GATT_CHARACTERISTIC(BT_UUID_BELL_RINGS, BT_GATT_CHRC_READ | BT_GATT_CHRC_NOTIFY,
			       BT_GATT_PERM_READ, read_rings, NULL, rings),
	BT_GATT_CCC(rings_changed, BT_GATT_PERM_READ | BT_GATT_PERM_WRITE_ENCRYPT),
	BT_GATT_CUD("Rings", BT_GATT_PERM_READ),
	BT_GATT_CPF(&format),
	BT_GATT_CHARACTERISTIC(&melody_uuid.uuid, BT_GATT_CHRC_READ | BT_GATT_CHRC_WRITE,
			       BT_GATT_PERM_READ | BT_GATT_PERM_WRITE_AUTHEN, read_melody, write_melody, melody),
	BT_GATT_CHARACTERISTIC(BT_UUID_DECLARE_16(0xdd13), BT_GATT_CHRC_WRITE_WITHOUT_RESP,
			       BT_GATT_PERM_WRITE, NULL, write_light, &light.state[0]),
);

BT_GATT_SERVICE_DEFINE(bas,
	BT_GATT_PRIMARY_SERVICE(BT_UUID_BAS),
	BT_GATT_CHARACTERISTIC(BT_UUID_BAS_BATTERY_LEVEL, BT_GATT_CHRC_READ | BT_GATT_CHRC_NOTIFY,
			       BT_GATT_PERM_READ, read_blvl, NULL, &battery_level),
	BT_GATT_CCC(blvl_ccc_cfg_changed, BT_GATT_PERM_READ | BT_GATT_PERM_WRITE),
);
