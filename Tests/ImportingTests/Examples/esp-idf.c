// A thermostat as an attribute table of ESP-IDF.
#include "esp_gatts_api.h"

static const uint16_t primary_service_uuid         = ESP_GATT_UUID_PRI_SERVICE;
static const uint16_t character_declaration_uuid   = ESP_GATT_UUID_CHAR_DECLARE;
static const uint16_t character_client_config_uuid = ESP_GATT_UUID_CHAR_CLIENT_CONFIG;
static const uint8_t char_prop_read_notify = ESP_GATT_CHAR_PROP_BIT_READ | ESP_GATT_CHAR_PROP_BIT_NOTIFY;
static const uint8_t char_prop_write = ESP_GATT_CHAR_PROP_BIT_WRITE;
static const uint16_t GATTS_SERVICE_UUID_HEATING = 0x00FF;
static const uint16_t GATTS_CHAR_UUID_TARGET = 0xFF01;
static const uint8_t valve_uuid[16] = {
    0x00, 0x9c, 0x1b, 0x2a, 0x6e, 0x1f, 0x4b, 0x9e, 0x0e, 0x4b, 0x4d, 0x7c, 0x12, 0xee, 0x00, 0x00,
};
static const uint8_t target_value[2] = {0x15, 0x00};
static const uint8_t target_ccc[2] = {0x00, 0x00};

static const esp_gatts_attr_db_t gatt_db[HRS_IDX_NB] = {
    [IDX_SVC] = {{ESP_GATT_AUTO_RSP}, {ESP_UUID_LEN_16, (uint8_t *)&primary_service_uuid, ESP_GATT_PERM_READ,
      sizeof(uint16_t), sizeof(GATTS_SERVICE_UUID_HEATING), (uint8_t *)&GATTS_SERVICE_UUID_HEATING}},

    [IDX_CHAR_A] = {{ESP_GATT_AUTO_RSP}, {ESP_UUID_LEN_16, (uint8_t *)&character_declaration_uuid, ESP_GATT_PERM_READ,
      CHAR_DECLARATION_SIZE, CHAR_DECLARATION_SIZE, (uint8_t *)&char_prop_read_notify}},
    [IDX_CHAR_VAL_A] = {{ESP_GATT_AUTO_RSP}, {ESP_UUID_LEN_16, (uint8_t *)&GATTS_CHAR_UUID_TARGET, ESP_GATT_PERM_READ,
      500, sizeof(target_value), (uint8_t *)target_value}},
    [IDX_CHAR_CFG_A] = {{ESP_GATT_AUTO_RSP}, {ESP_UUID_LEN_16, (uint8_t *)&character_client_config_uuid,
      ESP_GATT_PERM_READ | ESP_GATT_PERM_WRITE, sizeof(uint16_t), sizeof(target_ccc), (uint8_t *)target_ccc}},

    [IDX_CHAR_B] = {{ESP_GATT_AUTO_RSP}, {ESP_UUID_LEN_16, (uint8_t *)&character_declaration_uuid, ESP_GATT_PERM_READ,
      CHAR_DECLARATION_SIZE, CHAR_DECLARATION_SIZE, (uint8_t *)&char_prop_write}},
    [IDX_CHAR_VAL_B] = {{ESP_GATT_RSP_BY_APP}, {ESP_UUID_LEN_128, (uint8_t *)valve_uuid, ESP_GATT_PERM_WRITE_ENC_MITM,
      20, 0, NULL}},
};
