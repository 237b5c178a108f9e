import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import CentralHost
import BLESMP
import Foundation

/// The parts of pairing that the person and apps notice.
extension PhoneSystem {
  func handle(_ event: SecurityEvent, on handle: ConnectionHandle) {
    guard let link = link(handle) else { return }
    switch event {
    case .asked(let question): ask(question, on: link)
    case .questionEnded: if sheet?.link == handle { dismissSheet() }
    case .paired(let bond, let isBonded):
      if isBonded { link.device.identity = bond.peer }
      updateNotificationConsent(of: link.device)
      journal(.object(["event": .string("paired"), "peripheral": .string(link.device.name ?? "")]))
      continueOpenings(on: link, isSecure: true)
    case .securityChanged(let security)
    where security.protection > .none && link.securedOpenings.allSatisfy(\.hasRaisedSecurity):
      continueOpenings(on: link, isSecure: true)
    case .failed, .timedOut, .cut:
      if sheet?.link == handle { dismissSheet() }
      continueOpenings(on: link, isSecure: false)
    case .keyMissing: end(link, .peerRemovedPairing)
    default: break
    }
  }

  func encryptionFailed(_ status: ErrorCode, on handle: ConnectionHandle) {
    guard let link = link(handle), link.device.identity != nil, status == .pinOrKeyMissing else { return }
    end(link, .peerRemovedPairing)
  }

  /// Shows the question of a pairing on a sheet, and answers it if the person does so at once.
  private func ask(_ question: PairingQuestion, on link: PhoneLink) {
    let sheet = PairingSheet(question, accessory: link.device.name ?? "An accessory", link: link.handle) {
      [mailbox = shared.mailbox] sheet, answer in mailbox.post { $0.answer(answer, to: sheet) }
    }
    self.sheet = sheet
    journal(
      .object([
        "event": .string("pairing-sheet"), "peripheral": .string(sheet.accessory), "question": .string("\(sheet.kind)"),
      ]))
    if let answer = person.answer(to: question) { self.answer(answer, to: sheet) } else { sheetShown?(sheet) }
  }

  /// Answers a sheet, unless its pairing has ended.
  private func answer(_ answer: PairingAnswer, to sheet: PairingSheet) {
    guard self.sheet === sheet else { return }
    dismissSheet()
    perform(.answerPairing(sheet.link, answer))
  }

  func dismissSheet() {
    sheet?.dismiss()
    sheet = nil
  }

  func bondChanged(_ record: BondRecord) {
    bonds.removeAll { $0.peer == record.peer }
    bonds.append(record)
  }

  /// Removes the bond with a device and ends its link, as "Forget This Device" does.
  func forget(_ device: Device) {
    guard let identity = device.identity else { return }
    device.identity = nil
    device.sharesNotifications = nil
    device.attributes = DeviceAttributes()
    bonds.removeAll { $0.peer == identity }
    perform(.removeBond(identity))
    if let link = device.link { end(link, .forgotten) }
  }
}
