import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import CentralHost
import VirtualRadio

extension RadioSimulation {
  /// Adds a central that uses BR/EDR too, on a new controller with an address of its own. It does nothing before `start`.
  package func addDualCentral(
    _ configuration: CentralConfiguration = CentralConfiguration(), on controller: ControllerConfiguration = .dual,
    address: DeviceAddress
  ) throws -> ScriptedCentral {
    var configuration = configuration
    configuration.usesClassic = true
    return try addCentral(configuration, on: controller.with(publicAddress: address))
  }
}

/// A scripted central's operations over BR/EDR.
extension ScriptedCentral {
  /// Inquires for a time. Returns each device that is found, with its latest data.
  package func inquire(_ request: InquiryRequest = InquiryRequest()) throws -> [InquiredDevice] {
    let first = events.count
    let usual = limit
    defer { limit = usual }
    // An inquiry lasts at least as long as was asked.
    limit = max(limit, request.duration + .seconds(5))
    try perform(.inquire(request))
    try wait(for: "the end of the inquiry", from: first) { event -> Void? in
      if case .inquiring(false) = event { () } else { nil }
    }
    var devices: [InquiredDevice] = []
    for case .found(let device) in events[min(first, events.count)...] {
      if let place = devices.firstIndex(where: { $0.address == device.address }) {
        devices[place] = device
      } else {
        devices.append(device)
      }
    }
    return devices
  }

  /// Inquires until a device is found that fits.
  package func find(_ fits: (InquiredDevice) -> Bool) throws -> InquiredDevice {
    let first = events.count
    try perform(.inquire(InquiryRequest(duration: .seconds(60))))
    let found = Result {
      try wait(for: "a device", from: first) { event -> Result<InquiredDevice, SimulationFailure>? in
        switch event {
        case .found(let device) where fits(device): .success(device)
        case .inquiring(false): .failure(.refused("no device was found"))
        default: nil
        }
      }.get()
    }
    try perform(.stopInquiring)
    return try found.get()
  }

  /// Connects to a device over BR/EDR. The attempt is cancelled at the time limit.
  @discardableResult
  package func page(_ device: InquiredDevice) throws -> ConnectionHandle {
    let first = events.count
    try perform(.page(device))
    return try connection(to: device.address, over: .classic, from: first)
  }

  /// Asks a device for its name over BR/EDR.
  package func remoteName(of device: InquiredDevice) throws -> String {
    let first = events.count
    try perform(.askForName(device))
    return try wait(for: "the name", from: first) { event -> Result<String, SimulationFailure>? in
      guard case .remoteName(device.address, let name, let status) = event else { return nil }
      return name.map { .success($0) } ?? .failure(.refused("no name: \(status)"))
    }.get()
  }

  /// Opens the ATT bearer of a link over BR/EDR; the link is encrypted first.
  package func openAttributeChannel(on link: ConnectionHandle) throws {
    let first = events.count
    try perform(.openAttributeChannel(link))
    let isOpen = try wait(for: "the channel of ATT", from: first) { event -> Bool? in
      switch event {
      case .attributeChannel(link, let isOpen): isOpen
      case .disconnected(link, _): false
      default: nil
      }
    }
    if !isOpen { throw SimulationFailure.refused("no channel of ATT") }
  }

  /// Returns the service records of the peer that contain all of these UUIDs.
  package func records(
    _ pattern: SearchPattern = .publicBrowseRoot, on link: ConnectionHandle
  ) throws -> [BLESDP.ServiceRecord] {
    let first = events.count
    try perform(.searchRecords(link, .searchAttributes(pattern, .all)))
    let result = try wait(for: "the service records", from: first) {
      event -> Result<SDPClient.Answer, RecordSearchFailure>? in
      switch event {
      case .serviceRecords(link, let result): result
      case .disconnected(link, _): .failure(.noChannel(.linkLost))
      default: nil
      }
    }
    guard case .records(let records) = try result.get() else { return [] }
    return records
  }
}
