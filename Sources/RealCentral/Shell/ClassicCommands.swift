import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESDP
import CentralHost
import Simulation

/// The shell's commands about BR/EDR.
extension CentralShell {
  func inquire(for time: Duration) throws {
    try requireClassic()
    let devices = try central.inquire(InquiryRequest(duration: time))
    for device in devices {
      let name = device.data.localName.map { " \"\($0)\"" } ?? ""
      say("\(device.address)\(name), \(ClassOfDevice(rawValue: device.classOfDevice).meaning ?? "")")
    }
    if devices.isEmpty { say("no device was found") }
  }

  func page(_ peer: String) throws {
    try requireClassic()
    if let address = DeviceAddress(peer) {
      try central.page(InquiredDevice(address))
    } else {
      try central.page(try central.find { $0.data.localName == peer })
    }
    say("connected over BR/EDR")
  }

  func listRecords() throws {
    for record in try central.records(on: try linked()) {
      let names = record.serviceClasses.map(\.profileName).joined(separator: ", ")
      let name = record.name(.serviceName).map { " \"\($0)\"" } ?? ""
      let psm = record.protocols.first { $0.uuid == .l2cap }?.number.map { ", PSM \($0)" } ?? ""
      say("\(names)\(name)\(psm)")
    }
  }

  private func requireClassic() throws(ShellError) {
    guard central.stack.usesClassic else { throw ShellError("this central uses LE alone: start it with --br-edr") }
  }

  /// Returns the link with its ATT bearer, which is opened over BR/EDR if it is not open.
  func linkedToAttributes() throws -> ConnectionHandle {
    let link = try linked()
    guard !central.stack.hasAttributeBearer(link) else { return link }
    guard central.security(of: link).protection > .none else {
      throw ShellError("values need encryption over BR/EDR: 'pair' first")
    }
    try central.openAttributeChannel(on: link)
    return link
  }

  func exchangeMTU() throws -> Int {
    let link = try linkedToAttributes()
    // Over BR/EDR the MTU is that of the channel (Core 5.4 Vol 3 Part G 4.3.1).
    let isClassic = central.stack.linkStates.contains { $0.handle == link && $0.details.transport == .classic }
    return isClassic ? central.mtu(of: link) : try central.exchangeMTU(on: link)
  }
}
