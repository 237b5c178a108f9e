/// The board behind a serial port, by its USB identity. It identifies the probe, the adapter or the chip's own USB, and seldom the
/// firmware: only a controller that answers is known to be one.
public struct USBIdentity: Hashable, Sendable {
  /// The kind of device behind the port.
  public enum Role: String, Hashable, Sendable {
    /// Firmware that speaks HCI over the chip's own USB.
    case controller
    /// The chip's own USB, with any firmware.
    case board
    /// A debug probe that forwards a UART of the board.
    case probe
    /// An adapter from USB to a UART.
    case adapter
    /// A bootloader, which accepts new firmware and is not a controller.
    case bootloader
  }

  /// The certainty of an identity.
  public enum Certainty: String, Hashable, Sendable {
    /// Read in a source file, a manual or a driver.
    case read
    /// From memory, not verified.
    case remembered
  }

  /// The vendor's number.
  public var vendorID: UInt16
  /// The product numbers.
  public var productIDs: ClosedRange<UInt16>
  /// The product that the device must report; nil for any.
  public var product: String?
  /// The board, in words.
  public var board: String
  /// The kind of device behind the port.
  public var role: Role
  /// The source of the information.
  public var source: String
  /// The certainty.
  public var certainty: Certainty

  /// All identities known here. If several match, the first one counts.
  public static let known: [USBIdentity] = [
    USBIdentity(
      0x2FE3, all, product: "Understudy HCI", "a board with Understudy's firmware on its own USB", .controller,
      "Hardware/zephyr/boards/usb-cdc-acm.conf"),
    USBIdentity(0x2FE3, 0x0004, "a board with Zephyr firmware on its own USB", .board, "Zephyr's Kconfig"),
    USBIdentity(
      0x2FE3, 0x0100, "a board with Zephyr firmware on its own USB (older USB stack)", .board,
      "Zephyr's hci_uart and hci_usb"),
    USBIdentity(0x1366, 0x0105, "a development kit's J-Link", .probe, "manuals of development kits"),
    USBIdentity(
      0x1366, 0x1001...0x106F, "a development kit's J-Link", .probe, "nrf-udev 7: each bit of the number is a function"),
    USBIdentity(0x1915, 0x521F, "the bootloader of an nRF52840 dongle", .bootloader, "nRF5 SDK", .remembered),
    USBIdentity(0x239A, all, "an Adafruit board or a UF2 bootloader", .board, "Adafruit", .remembered),
    USBIdentity(0x2886, all, "a Seeed board (XIAO) or its bootloader", .board, "Seeed", .remembered),
    USBIdentity(0x0403, all, "an FTDI adapter", .adapter, "Linux ftdi_sio"),
    USBIdentity(0x10C4, 0xEA60, "a CP210x adapter", .adapter, "Linux cp210x"),
    USBIdentity(0x1A86, 0x7523, "a CH340 adapter", .adapter, "Linux ch341"),
  ]

  private static let all: ClosedRange<UInt16> = 0...0xFFFF

  private init(
    _ vendorID: UInt16, _ productIDs: ClosedRange<UInt16>, product: String? = nil, _ board: String, _ role: Role,
    _ source: String, _ certainty: Certainty = .read
  ) {
    (self.vendorID, self.productIDs, self.product) = (vendorID, productIDs, product)
    (self.board, self.role, self.source, self.certainty) = (board, role, source, certainty)
  }

  private init(
    _ vendorID: UInt16, _ productID: UInt16, _ board: String, _ role: Role, _ source: String,
    _ certainty: Certainty = .read
  ) {
    self.init(vendorID, productID...productID, board, role, source, certainty)
  }

  fileprivate func fits(_ port: SerialPort) -> Bool {
    guard let vendor = port.vendorID, let number = port.productID else { return false }
    return vendor == vendorID && productIDs.contains(number) && (product == nil || product == port.product)
  }
}

extension SerialPort {
  /// The known board behind it, by its USB identity; nil if unknown.
  public var identity: USBIdentity? { USBIdentity.known.first { $0.fits(self) } }

  /// Whether a controller may be behind it.
  public var mayCarryController: Bool { identity?.role != .bootloader }
}
