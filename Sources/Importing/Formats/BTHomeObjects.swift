/// An object of BTHome version 2: a measurement, a state or an event (bthome.io, "BTHome data format", 2023).
struct BTHomeObject: Hashable, Sendable {
  /// The number in front of the value.
  var number: UInt8
  /// Its name in a profile.
  var name: String
  /// `u8` to `u32`, `i8` to `i32`, or `bool`; or `text` or `raw`, whose length precedes the value.
  var format: String
  /// The decimal places.
  var decimals: Int
  /// The unit; empty for none.
  var unit: String

  /// The length of its value in octets; nil if the length precedes the value.
  var size: Int? {
    switch format {
    case "bool": 1
    case "text", "raw": nil
    default: Int(format.dropFirst()).map { $0 / 8 }
    }
  }

  /// Its format as YAML.
  var yaml: String {
    switch format {
    case "text": return "{ text: u8 }"
    case "raw": return "{ octets: u8 }"
    case "bool": return "u8"
    default: break
    }
    var parts = ["number: \(format)"]
    // The only object that counts in steps of 0.35.
    if number == 0x58 { parts += ["multiply: 35", "decimals: 2"] }
    if decimals > 0, number != 0x58 { parts.append("decimals: \(decimals)") }
    if !unit.isEmpty { parts.append("unit: \(YAMLScalar.text(unit))") }
    return parts.count == 1 ? format : "{ \(parts.joined(separator: ", ")) }"
  }

  /// All objects, by number.
  static let all: [UInt8: BTHomeObject] = {
    let rows = table.split(separator: "\n").compactMap { line -> BTHomeObject? in
      let parts = line.split(separator: " ", maxSplits: 4)
      guard parts.count > 3, let number = UInt8(parts[0], radix: 16) else { return nil }
      return BTHomeObject(
        number: number, name: String(parts[1]), format: String(parts[2]), decimals: Int(parts[3]) ?? 0,
        unit: parts.count > 4 ? String(parts[4]) : "")
    }
    return Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
  }()

  /// One object per line: number, name, format, decimal places, and unit.
  private static let table = """
    00 packet u8 0
    01 battery u8 0 %
    02 temperature i16 2 °C
    03 humidity u16 2 %
    04 pressure u24 2 mbar
    05 illuminance u24 2 lx
    06 mass u16 2 kg
    07 mass u16 2 lb
    08 dew-point i16 2 °C
    09 count u8 0
    0A energy u24 3 kWh
    0B power u24 2 W
    0C voltage u16 3 V
    0D pm25 u16 0 µg/m³
    0E pm10 u16 0 µg/m³
    0F generic bool 0
    10 power bool 0
    11 opening bool 0
    12 carbon-dioxide u16 0 ppm
    13 volatile-organic-compounds u16 0 µg/m³
    14 moisture u16 2 %
    15 battery bool 0
    16 battery-charging bool 0
    17 carbon-monoxide bool 0
    18 cold bool 0
    19 connectivity bool 0
    1A door bool 0
    1B garage-door bool 0
    1C gas bool 0
    1D heat bool 0
    1E light bool 0
    1F lock bool 0
    20 moisture bool 0
    21 motion bool 0
    22 moving bool 0
    23 occupancy bool 0
    24 plug bool 0
    25 presence bool 0
    26 problem bool 0
    27 running bool 0
    28 safety bool 0
    29 smoke bool 0
    2A sound bool 0
    2B tamper bool 0
    2C vibration bool 0
    2D window bool 0
    2E humidity u8 0 %
    2F moisture u8 0 %
    3A button u8 0
    3C dimmer u16 0
    3D count u16 0
    3E count u32 0
    3F rotation i16 1 °
    40 distance u16 0 mm
    41 distance u16 1 m
    42 duration u24 3 s
    43 current u16 3 A
    44 speed u16 2 m/s
    45 temperature i16 1 °C
    46 uv-index u8 1
    47 volume u16 1 L
    48 volume u16 0 mL
    49 volume-flow-rate u16 3 m³/h
    4A voltage u16 1 V
    4B gas u24 3 m³
    4C gas u32 3 m³
    4D energy u32 3 kWh
    4E volume u32 3 L
    4F water u32 3 L
    50 timestamp u32 0
    51 acceleration u16 3 m/s²
    52 gyroscope u16 3 °/s
    53 text text 0
    54 raw raw 0
    55 volume-storage u32 3 L
    56 conductivity u16 0 µS/cm
    57 temperature i8 0 °C
    58 temperature i8 0.35 °C
    59 count i8 0
    5A count i16 0
    5B count i32 0
    5C power i32 2 W
    5D current i16 3 A
    5E direction u16 2 °
    5F precipitation u16 1 mm
    60 channel u8 0
    61 rotational-speed u16 0 rpm
    62 speed i32 6 m/s
    63 acceleration i32 6 m/s²
    64 light-level u8 0
    65 settings-revision u8 0
    F0 device-type u16 0
    F1 firmware u32 0
    F2 firmware u24 0
    """
}
