import BLECore
import BLEHCI

// Impairments, which can be set at any time. Everything random is derived from the air's seed.
extension Air {
  // MARK: The path between controllers

  /// Returns the impairment of packets from one controller to another.
  package func impairment(from: ControllerID, to: ControllerID) -> PathImpairment {
    propagation.impairment(from: from, to: to)
  }

  /// Sets the impairment of packets from one controller to another; nil restores the default. A loss pattern restarts.
  package func setImpairment(_ impairment: PathImpairment?, from: ControllerID, to: ControllerID) {
    change(links(between: from, to)) { $0.setImpairment(impairment, from: from, to: to) }
  }

  /// Sets the impairment of all paths that have none of their own, including those of controllers added later.
  package func setDefaultImpairment(_ impairment: PathImpairment) {
    change(links.values.sorted { $0.id < $1.id }) { $0.setDefault(impairment) }
  }

  /// The impairment of paths that have none of their own.
  package var defaultImpairment: PathImpairment { propagation.ordinary }

  /// Sets whether two controllers hear each other, as they do by default. If not, the links between them are lost by supervision timeout.
  package func setReachable(_ first: ControllerID, _ second: ControllerID, _ isReachable: Bool) {
    for (from, to) in [(first, second), (second, first)] {
      alter(from, to) { $0.isReachable = isReachable }
    }
  }

  /// Sets the random packet loss in one direction: a `fraction` of 0 loses none, 1 all.
  package func setPacketLoss(from: ControllerID, to: ControllerID, fraction: Double) {
    alter(from, to) { $0.loss = fraction > 0 ? .fraction(fraction) : .none }
  }

  /// Sets the strength at which one controller hears another, in dBm.
  package func setSignalStrength(from: ControllerID, to: ControllerID, dBm: Int8) {
    alter(from, to) { $0.strength = dBm }
  }

  private func alter(_ from: ControllerID, _ to: ControllerID, _ body: (inout PathImpairment) -> Void) {
    var impairment = impairment(from: from, to: to)
    body(&impairment)
    setImpairment(impairment, from: from, to: to)
  }

  private func change(_ affected: [Link], _ body: (inout Propagation) -> Void) {
    let classic = classicLinks.values.sorted { $0.id < $1.id }
    for link in affected { catchUp(link) }
    for link in classic { catchUp(link) }
    body(&propagation)
    for link in affected {
      supervise(link)
      wake(link)
    }
    for link in classic {
      supervise(link)
      wake(link)
    }
    classicScansChanged()
    finishInput()
  }

  private func links(between first: ControllerID, _ second: ControllerID) -> [Link] {
    let pair: Set = [first, second]
    return links.values.filter { Set([$0.central.controllerID, $0.peripheral.controllerID]) == pair }
      .sorted { $0.id < $1.id }
  }

  // MARK: Controllers

  /// Returns the impairment of a controller; nil for an unknown one.
  package func impairment(of id: ControllerID) -> ControllerImpairment? { controller(id)?.impairment }

  /// Sets the impairment of a controller. Does nothing for an unknown one.
  package func setImpairment(_ impairment: ControllerImpairment, of id: ControllerID) {
    guard let controller = controller(id) else { return }
    controller.impairment = impairment
    let affected = links.values.filter { $0.central.controllerID == id || $0.peripheral.controllerID == id }
    change(affected.sorted { $0.id < $1.id }) { $0.setHung(impairment.isHung, id) }
  }

  /// Restarts a controller spontaneously, as by a watchdog: all its state and pending output are lost, and its peers notice by supervision
  /// timeout. It no longer hangs. Does nothing for an unknown controller.
  package func restartController(_ id: ControllerID, announcing notice: RestartNotice) {
    guard let controller = controller(id) else { return }
    if controller.impairment.isHung {
      var impairment = controller.impairment
      impairment.isHung = false
      setImpairment(impairment, of: id)
    }
    controller.restart(announcing: notice)
    finishInput()
  }
}
