/// Octets and their values, at least one for every format in the program, with their source, which is never our encoder.
struct GoldenValue: Sendable {
  /// The name of the format.
  let name: String
  /// Hexadecimal, with spaces.
  let octets: String
  /// The value as JSON.
  let json: String
  let source: Source

  /// The source of the octets, or of the layout after which they were composed by hand. Everything was compared on 2026-11-25. Some
  /// of the octets by hand are also in the tests of RonanB96/bluetooth-sig-python, which is not a source by itself: see `threeStacks`.
  enum Source: String, CaseIterable, Sendable {
    /// By hand after the SIG's characteristic files (XML, 2011 to 2017), compared field by field: order, widths, flags, exponents, names.
    case sigFiles
    /// By hand after the GATT Specification Supplement 8 as eisaev/blevalueparser cites it, section by section, in its headers.
    case supplement
    /// By hand after dudanov/pyftms, which cites the sections of the Fitness Machine Service 1.0. In the SIG's file of Indoor Bike Data,
    /// bits 1 and 2 are swapped; pyftms and apps for bicycles agree with ours.
    case pyftms
    /// By hand after Zephyr: `ots.h`, `dis.c`, `gatt.c`.
    case zephyr
    /// By hand after BTstack (`ots_server`), Nordic's nRF5 SDK (`ble_ots`) and Stonestreet's Bluetopia (OTS types), which agree: bit 0 is
    /// the source of the change, then contents, metadata, creation, deletion. bluetooth-sig-python differs from all of them.
    case threeStacks
    /// By hand after the report descriptors of the boot protocol in USB HID 1.11, Appendix B, as BTstack's examples have them.
    case bootProtocol
    /// By hand after our own format: no independent source was found. The SIG assigns the number of String, but does not define it.
    case notFound
    /// Published with their values in the tests of NordicSemiconductor/Android-BLE-Common-Library.
    case androidCommonLibrary
    /// Published with their values in the tests of eisaev/blevalueparser.
    case bleValueParser
  }

  static let all = device + phone + battery + health + fitness + machines + places + environment + users + published

  static func rows(_ source: Source, _ rows: [(String, String, String)]) -> [GoldenValue] {
    rows.map { GoldenValue(name: $0, octets: $1, json: $2, source: source) }
  }
}
