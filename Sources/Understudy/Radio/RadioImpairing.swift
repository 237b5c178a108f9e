import Transport
import VirtualRadio

/// How the radio is made worse while it runs.
///
/// Controllers are named. One that is not there yet gets its impairments when it joins, and one that comes back under its
/// name gets them again.
extension RadioHub {
  /// The direction between two controllers, by their names.
  struct NamedPath: Hashable {
    var from: String
    var to: String
  }

  /// The names that controllers can have, for messages.
  public static let names = "accessory, accessory-2 …, tcp-1 …, unix-1 …, pty-1 …"

  /// Whether a controller could have that name.
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

  /// Makes the radio worse in the way that somebody asked for.
  public func impair(_ impairment: RadioImpairment) {
    switch impairment {
    case .everywhere(let impairment): setDefaultImpairment(impairment)
    case .path(let from, let to, let impairment): setImpairment(impairment, from: from, to: to)
    case .controller(let name, let impairment): setImpairment(impairment, of: name)
    }
  }

  // MARK: - Paths

  /// What happens to packets on paths that have no impairment of their own.
  public var defaultImpairment: PathImpairment { air.defaultImpairment }

  /// Changes what happens to packets on all paths that have no impairment of their own.
  public func setDefaultImpairment(_ impairment: PathImpairment) {
    air.advance(to: loop.now())
    air.setDefaultImpairment(impairment)
    flush()
  }

  /// Changes what happens to packets from one controller to another; nil takes the default again.
  public func setImpairment(_ impairment: PathImpairment?, from: String, to: String) {
    pathImpairments[NamedPath(from: from, to: to)] = impairment
    guard let sender = id(of: from), let receiver = id(of: to) else { return }
    air.advance(to: loop.now())
    air.setImpairment(impairment, from: sender, to: receiver)
    flush()
  }

  /// What happens to packets from one controller to another, where that is not the default; nil where it is.
  public func impairment(from: String, to: String) -> PathImpairment? {
    pathImpairments[NamedPath(from: from, to: to)]
  }

  // MARK: - Controllers

  /// What is wrong with a controller.
  public func impairment(of name: String) -> ControllerImpairment {
    controllerImpairments[name] ?? ControllerImpairment()
  }

  /// Changes what is wrong with a controller.
  public func setImpairment(_ impairment: ControllerImpairment, of name: String) {
    controllerImpairments[name] = impairment == ControllerImpairment() ? nil : impairment
    guard let id = id(of: name) else { return }
    air.advance(to: loop.now())
    air.setImpairment(impairment, of: id)
    flush()
  }

  /// Lets a controller restart by itself, as after a watchdog: all its state is lost, and its peers notice by their
  /// supervision timeouts. It hangs no more. Returns whether there is a controller of that name.
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

  /// Gives a controller that has just come what is set for its name.
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
