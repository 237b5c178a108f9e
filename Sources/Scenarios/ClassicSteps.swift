import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESDP
import CentralHost
import Simulation

/// The steps over BR/EDR.
extension CaseRunner {
  /// Opens the ATT bearer of a link over BR/EDR, unless it is open. The central pairs for it if it has no bond.
  func openAttributes(of phone: CasePhone) throws {
    let link = try link(of: phone)
    guard !phone.central.stack.hasAttributeBearer(link) else { return }
    if phone.central.user == .nobody { phone.central.user = .acceptsExceptPasskeys }
    try phone.central.openAttributeChannel(on: link)
  }

  func inquire(_ phone: CasePhone, _ scan: ScenarioScan, for duration: Duration) throws {
    let devices = try phone.central.inquire(InquiryRequest(duration: min(duration, .seconds(60))))
    let isFound = try devices.contains { device in
      guard stage.isOwn(device), scan.data.map({ device.octets.starts(with: $0) }) ?? true else { return false }
      guard let name = scan.name else { return true }
      // A device without an Extended Inquiry Response tells its name only when it is asked.
      return try device.data.localName ?? phone.central.remoteName(of: device) == name
    }
    guard isFound != scan.isHeard else { return }
    throw StepRefusal(scan.isHeard ? "the inquiry has not found it" : "the inquiry has found it")
  }

  func searchRecords(
    of phone: CasePhone, has found: [String], lacks missing: [String], _ outcome: ScenarioOutcome
  ) throws {
    let link = try link(of: phone)
    try check(outcome) {
      let records = try phone.central.records(on: link)
      func isThere(_ service: String) throws -> Bool {
        let own = stage.scenario.profile.services.first { $0.id == service }?.uuid
        guard let uuid = own ?? BluetoothUUID(service) ?? AssignedName.uuid(named: service, kind: .service) else {
          throw StepError("'\(service)' is no service of the profile, no UUID and no assigned name")
        }
        return records.contains { $0.contains(uuid) }
      }
      if let service = try found.first(where: { try !isThere($0) }) {
        throw StepRefusal("no record of \(service) was found")
      }
      if let service = try missing.first(where: isThere) { throw StepRefusal("a record of \(service) was found") }
      return nil
    }
  }
}
