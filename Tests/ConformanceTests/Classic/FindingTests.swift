import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The groups GAP/IDLE and GAP/EST over BR/EDR, and of GAP/DM what a central does: this project's central finds, names, calls and bonds with
/// devices (Core 5.4 Vol 3 Part C 6, 7, 13.2).
@Suite("GAP/IDLE, GAP/EST over BR/EDR")
struct FindingTests {
  /// TGAP(100) (Core 5.4 Vol 3 Part C Appendix A).
  private static let inquiryTime = Duration.milliseconds(10_240)

  /// Begins an inquiry, during which a device begins to answer inquiries with that access code after a while. Returns what is found, and how
  /// long the inquiry lasts.
  private func inquire(
    isLimited: Bool, answering accessCode: InquiryAccessCode, after time: Duration
  ) throws -> (devices: [DeviceAddress], time: Duration) {
    let scene = try CallingScene(isFound: false)
    let start = scene.simulation.now
    try scene.central.perform(.inquire(InquiryRequest(isLimited: isLimited)))
    scene.simulation.run(for: time)
    try scene.device.scan([accessCode])
    scene.simulation.run(until: { !scene.central.stack.isInquiring }, limit: .seconds(30))
    let devices = scene.central.events.compactMap { event in
      if case .found(let device) = event { device.address } else { nil }
    }
    return (devices, scene.simulation.now - start)
  }

  @Test("GAP/IDLE/GIN/BV-01-C: a general inquiry lasts at least TGAP(100), and asks with the general code until then")
  func generalInquiry() throws {
    let general = try inquire(isLimited: false, answering: .general, after: .seconds(7))
    #expect(general.time >= Self.inquiryTime && general.devices == [CallingScene.address])
    #expect(try inquire(isLimited: false, answering: .limited, after: .zero).devices == [])
  }

  @Test("GAP/IDLE/LIN/BV-01-C: a limited inquiry lasts at least TGAP(100), and asks with the limited code until then")
  func limitedInquiry() throws {
    let limited = try inquire(isLimited: true, answering: .limited, after: .seconds(7))
    #expect(limited.time >= Self.inquiryTime && limited.devices == [CallingScene.address])
    #expect(try inquire(isLimited: true, answering: .general, after: .zero).devices == [])
  }

  @Test("GAP/IDLE/DED/BV-02-C, GAP/DM/NAD/BV-01-C: the central asks a device that it has found for its name")
  func name() throws {
    let scene = try CallingScene()
    let devices = try scene.central.inquire()
    // The device has no Extended Inquiry Response that says its name.
    #expect(devices.map(\.address) == [CallingScene.address] && devices.first?.data.localName == nil)
    #expect(try scene.central.remoteName(of: try #require(devices.first)) == ClassicResponder.name)
  }

  @Test("GAP/IDLE/DNDIS/BV-01-C: the accessory's response to an inquiry has its name")
  func nameInResponse() throws {
    let scene = try ClassicScene()
    let phone = try scene.simulation.addDualCentral(address: CallingScene.address)
    try phone.start()
    let device = try #require(try phone.inquire().first { $0.address == scene.central.peer })
    #expect(device.data.localName == Specimen.name)
  }

  @Test(
    "GAP/DM/GIN/BV-01-C: the central finds an accessory over both transports, in general and limited discoverable mode",
    arguments: [false, true])
  func bothTransports(isLimited: Bool) throws {
    var settings = ClassicScene.settings
    if isLimited { settings.discoverability = .limited(.seconds(180)) }
    let flags: UInt8 = isLimited ? 1 : 2
    let scene = try ClassicScene(
      ClassicScene.configuration(settings) { $0.advertising[0].data = [2, 1, flags] })
    let phone = try scene.simulation.addDualCentral(address: CallingScene.address)
    try phone.start()
    #expect(try phone.inquire().map(\.address) == [scene.central.peer])
    let heard = try phone.scan(for: .seconds(2), ScanRequest(filter: ScanFilter(address: scene.central.peer))) {
      !$0.isScanResponse
    }
    #expect(!heard.isEmpty)
    #expect(heard.allSatisfy { $0.data.structures.first == .flags(AdvertisingFlags(rawValue: flags)) })
  }

  @Test("GAP/DM/NAD/BV-02-C, GAP/DM/LEP/BV-06-C: the central connects to a device of LE alone, and reads its name")
  func lowEnergyAlone() throws {
    let simulation = RadioSimulation()
    let accessory = try simulation.addSpecimen()
    let phone = try simulation.addDualCentral(address: CallingScene.address)
    try phone.start()
    let heard = try phone.hear { $0.address == Specimen.address }
    #expect(heard.isConnectable && heard.data.structures.first == .flags([.generalDiscoverable, .bredrNotSupported]))
    let link = try phone.connect(ConnectionRequest(to: heard.address, type: heard.addressType))
    #expect(accessory.stack.linkStates.map(\.details.transport) == [.le])
    let name = try #require(try phone.discover(on: link).characteristic(BluetoothUUID(0x2A00)))
    #expect(try phone.read(name.value, on: link) == Array(Specimen.name.utf8))
    try phone.disconnect(link)
    simulation.run(for: .milliseconds(200))
    #expect(accessory.stack.linkStates.isEmpty)
  }

  @Test("GAP/EST/LIE/BV-02-C: the central makes a link to a device that it has found, and ends it")
  func link() throws {
    let scene = try CallingScene()
    let device = try #require(try scene.central.inquire().first)
    let link = try scene.central.page(device)
    scene.simulation.run(for: .milliseconds(200))
    #expect(scene.device.link != nil)
    let details = try #require(scene.central.stack.linkStates.first?.details)
    #expect(details.transport == .classic && details.peer == CallingScene.address)
    try scene.central.disconnect(link)
    scene.simulation.run(for: .milliseconds(200))
    #expect(scene.device.link == nil && scene.device.ends == [.remoteUserTerminatedConnection])
  }

  /// Finds a device, calls it and opens the channel of the Attribute Protocol, which needs a key. Returns what the central has said of itself.
  private func bond(
    _ security: PairingPolicy, _ requirements: AuthenticationRequirements
  ) throws -> (scene: CallingScene, own: AuthenticationRequirements) {
    let scene = try CallingScene(security)
    scene.device.requirements = requirements
    let link = try scene.central.page(try #require(try scene.central.inquire().first))
    try scene.central.perform(.openAttributeChannel(link))
    // The channel is requested once the key is there.
    #expect(try scene.channelRequest(within: .seconds(40)).psm == 0x001F)
    #expect(scene.device.pairings == [.success] && scene.device.isEncrypted)
    #expect(scene.central.stack.bonds.map(\.bond.linkKey) == [scene.device.key])
    return (scene, try #require(scene.device.peers.first).requirements)
  }

  @Test(
    "GAP/IDLE/BON/BV-05-C: the central bonds generally before it opens a channel; the key is as its requirements say",
    arguments: [false, true])
  func bonding(isAuthenticated: Bool) throws {
    let policy = PairingPolicy.pairable(.offered, .displayYesNo) { $0.prefersAuthentication = isAuthenticated }
    let (scene, own) = try bond(policy, .generalBonding)
    #expect(own == (isAuthenticated ? .generalBondingMITM : .generalBonding))
    #expect(scene.device.keys.map(\.type) == [isAuthenticated ? .authenticatedP256 : .unauthenticatedP256])
  }

  @Test(
    "GAP/IDLE/BON/BV-06-C: with a device that requires protection against a man in the middle the key is authenticated",
    arguments: [false, true])
  func authenticatedBonding(isAuthenticated: Bool) throws {
    let policy = PairingPolicy.pairable(.offered, .displayYesNo) { $0.prefersAuthentication = isAuthenticated }
    let (scene, own) = try bond(policy, .generalBondingMITM)
    #expect(own == (isAuthenticated ? .generalBondingMITM : .generalBonding))
    #expect(scene.device.keys.map(\.type) == [.authenticatedP256])
  }
}
