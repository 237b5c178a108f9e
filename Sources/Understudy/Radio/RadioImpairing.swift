import Transport
import VirtualRadio

/// Impairing the radio while it runs.
///
/// Controllers are identified by name. Impairments can be set before a controller joins, and apply again if a
/// controller with that name returns.
extension RadioHub {
  /// The direction from one controller to another, by name.
  struct NamedPath: Hashable {
    var from: String
    var to: String
  }

  /// The possible names of controllers, for messages.
  public static let names = "accessory, accessory-2 …, tcp-1 …, unix-1 …, pty-1 …"

  /// Returns whether a controller could have that name.
  public static func isName(_ name: String) -> Bool {
    if name == accessoryName { return true }
    guard let hyphen = name.lastIndex(of: "-") else { return false }
    let digits = name[name.index(after: hyphen)...]
    guard digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
      return false
    }
    switch name[..<hyphen] {
    case "tcp", "unix", "pty": return (1...hostLimit).contains(number)
    case accessoryName: return (2...accessoryLimit).contains(number)
    default: return false
    }
  }

  /// Applies an impairment.
  public func impair(_ impairment: RadioImpairment) {
    switch impairment {
    case .everywhere(let impairment): setDefaultImpairment(impairment)
    case .path(let from, let to, let impairment): setImpairment(impairment, from: from, to: to)
    case .controller(let name, let impairment): setImpairment(impairment, of: name)
    }
  }

  // MARK: - Paths

  /// The impairment of packets on paths that have none of their own.
  public var defaultImpairment: PathImpairment { air.defaultImpairment }

  /// Sets the impairment of packets on all paths that have none of their own.
  public func setDefaultImpairment(_ impairment: PathImpairment) {
    air.advance(to: loop.now())
    air.setDefaultImpairment(impairment)
    flush()
  }

  /// Sets the impairment of packets from one controller to another; nil restores the default.
  public func setImpairment(_ impairment: PathImpairment?, from: String, to: String) {
    pathImpairments[NamedPath(from: from, to: to)] = impairment
    guard let sender = id(of: from), let receiver = id(of: to) else { return }
    air.advance(to: loop.now())
    air.setImpairment(impairment, from: sender, to: receiver)
    flush()
  }

  /// Returns the impairment of packets from one controller to another; nil if it is the default.
  public func impairment(from: String, to: String) -> PathImpairment? {
    pathImpairments[NamedPath(from: from, to: to)]
  }

  // MARK: - Controllers

  /// Returns the impairment of a controller.
  public func impairment(of name: String) -> ControllerImpairment {
    controllerImpairments[name] ?? ControllerImpairment()
  }

  /// Sets the impairment of a controller.
  public func setImpairment(_ impairment: ControllerImpairment, of name: String) {
    controllerImpairments[name] = impairment == ControllerImpairment() ? nil : impairment
    guard let id = id(of: name) else { return }
    air.advance(to: loop.now())
    air.setImpairment(impairment, of: id)
    flush()
  }

  /// Restarts a controller, as a watchdog would: all its state is lost, and its peers notice by their
  /// supervision timeouts. It no longer hangs. Returns whether a controller with that name exists.
  public func restartController(_ name: String, announcing notice: RestartNotice) -> Bool {
    guard let id = id(of: name) else { return false }
    controllerImpairments[name]?.isHung = false
    air.advance(to: loop.now())
    air.restartController(id, announcing: notice)
    flush()
    return true
  }

  // MARK: - Names

  private func id(of name: String) -> ControllerID? { members.first { $0.value.name == name }?.key }

  /// Applies the impairments set for the name of a new controller.
  func impairNewcomer(_ id: ControllerID, _ name: String) {
    if let impairment = controllerImpairments[name] { air.setImpairment(impairment, of: id) }
    for (path, impairment) in pathImpairments where path.from == name || path.to == name {
      if path.from == name, let peer = self.id(of: path.to) {
        air.setImpairment(impairment, from: id, to: peer)
      } else if path.to == name, let peer = self.id(of: path.from) {
        air.setImpairment(impairment, from: peer, to: id)
      }
    }
  }
}
