/// What a command of a role is about. It is returned with the answer, so that nobody else needs to know which command is in progress.
public enum CommandSubject: Hashable, Sendable {
  /// The advertising set in this place.
  case advertisingSet(Int)
  /// The controller's lists of peers.
  case peerLists
  /// Scanning.
  case scanning
  /// What a device on BR/EDR says of itself, and its scans for inquiries and pages.
  case classicScanning
  /// An attempt to connect.
  case connecting
  /// Finding devices on BR/EDR.
  case inquiring
  /// Connecting to devices on BR/EDR, and asking for their names.
  case paging
}

/// A command of a role, and what it is about.
public typealias RoleCommand = (command: any HCICommand, subject: CommandSubject)
