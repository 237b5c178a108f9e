import BLECore
import BLEGAP
import BLEHCI
import BLESDP
import CentralHost
import Simulation

/// Links over BR/EDR. They need a central that uses it: `TestAir.dualCentral`.
extension TestCentral {
  /// Inquires, and returns the devices that are found, each once.
  public func inquire(for duration: Duration = .milliseconds(10_240)) throws -> [InquiredDevice] {
    try act("no inquiry") { try host.inquire(InquiryRequest(duration: duration)) }
  }

  /// Finds an accessory by an inquiry, and connects to it over BR/EDR. An accessory that cannot be found, but is bonded, is called directly.
  public func connect(overClassicTo accessory: TestAccessory) throws {
    _ = try act("no link to \(accessory.name)") { try makeClassicLink(to: accessory) }
  }

  /// Connects over BR/EDR. Throws failures of the host unchanged.
  @discardableResult
  package func makeClassicLink(to accessory: TestAccessory) throws -> ConnectionHandle {
    let address = accessory.host.stack.controller.publicAddress
    let isBonded = host.stack.bonds.contains { $0.peer.address == address }
    let device = isBonded ? InquiredDevice(address) : nil
    return take(try host.page(try device ?? host.find { $0.address == address }), to: accessory)
  }

  /// Opens the ATT bearer of a link over BR/EDR, which encrypts the link, and pairs if there is no bond. Values can be read afterwards.
  public func openAttributeChannel() throws {
    let (link, _) = try connected()
    try act("no channel of ATT") { try host.openAttributeChannel(on: link) }
  }

  /// Returns the accessory's service records on BR/EDR.
  public func serviceRecords() throws -> [BLESDP.ServiceRecord] {
    let (link, _) = try connected()
    return try act("no service records") { try host.records(on: link) }
  }
}
