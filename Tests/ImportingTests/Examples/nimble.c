/* A kitchen timer with NimBLE. */
#include "host/ble_hs.h"

static const ble_uuid128_t timer_svc_uuid = BLE_UUID128_INIT(0x00, 0x9c, 0x1b, 0x2a, 0x6e, 0x1f, 0x4b, 0x9e,
                                                             0x0e, 0x4b, 0x4d, 0x7c, 0x10, 0xff, 0x00, 0x00);
static const ble_uuid128_t timer_remaining_uuid = BLE_UUID128_INIT(0x00, 0x9c, 0x1b, 0x2a, 0x6e, 0x1f, 0x4b, 0x9e,
                                                                   0x0e, 0x4b, 0x4d, 0x7c, 0x11, 0xff, 0x00, 0x00);

static const struct ble_gatt_svc_def gatt_svr_svcs[] = {
    {
        .type = BLE_GATT_SVC_TYPE_PRIMARY,
        .uuid = &timer_svc_uuid.u,
        .characteristics = (struct ble_gatt_chr_def[]) { {
            .uuid = &timer_remaining_uuid.u,
            .access_cb = timer_access,
            .flags = BLE_GATT_CHR_F_READ | BLE_GATT_CHR_F_NOTIFY,
            .val_handle = &remaining_handle,
            .descriptors = (struct ble_gatt_dsc_def[]) { {
                .uuid = BLE_UUID16_DECLARE(0x2901),
                .att_flags = BLE_ATT_F_READ,
                .access_cb = timer_access,
            }, {
                0,
            } },
        }, {
            .uuid = BLE_UUID16_DECLARE(0xFF12),
            .access_cb = timer_access,
            .flags = BLE_GATT_CHR_F_WRITE | BLE_GATT_CHR_F_WRITE_ENC,
        }, {
            0,
        } },
    },
    { 0 },
};
