import BLECore
import BLEHCI

// How an air is made worse, at any time. All that happens at random follows from the air's seed.
extension Air {
  // MARK: The path between controllers

  /// What happens to packets from one controller to another.
  package func impairment(from: ControllerID, to: ControllerID) -> PathImpairment {
    propagation.impairment(from: from, to: to)
  }

  /// Changes what happens to packets from one controller to another; nil takes the default again. A pattern of losses
  /// begins anew.
  package func setImpairment(_ impairment: PathImpairment?, from: ControllerID, to: ControllerID) {
    change(links(between: from, to)) { $0.setImpairment(impairment, from: from, to: to) }
  }

  /// Changes what happens to packets on all paths that have no impairment of their own, also those of controllers that
  /// come later.
  package func setDefaultImpairment(_ impairment: PathImpairment) {
    change(links.values.sorted { $0.id < $1.id }) { $0.setDefault(impairment) }
  }

  /// What happens to packets on paths that have no impairment of their own.
  package var defaultImpairment: PathImpairment { propagation.ordinary }

  /// Whether two controllers hear each other. They do unless told otherwise; links between those that do not are lost by
  /// supervision timeout.
  package func setReachable(_ first: ControllerID, _ second: ControllerID, _ isReachable: Bool) {
    for (from, to) in [(first, second), (second, first)] {
      alter(from, to) { $0.isReachable = isReachable }
    }
  }

  /// Loses packets in one direction at random: `fraction` 0 none, 1 all.
  package func setPacketLoss(from: ControllerID, to: ControllerID, fraction: Double) {
    alter(from, to) { $0.loss = fraction > 0 ? .fraction(fraction) : .none }
  }

  /// How strongly one controller hears another, in dBm.
  package func setSignalStrength(from: ControllerID, to: ControllerID, dBm: Int8) {
    alter(from, to) { $0.strength = dBm }
  }

  private func alter(_ from: ControllerID, _ to: ControllerID, _ body: (inout PathImpairment) -> Void) {
    var impairment = impairment(from: from, to: to)
    body(&impairment)
    setImpairment(impairment, from: from, to: to)
  }

  private func change(_ affected: [Link], _ body: (inout Propagation) -> Void) {
    for link in affected { catchUp(link) }
    body(&propagation)
    for link in affected {
      supervise(link)
      wake(link)
    }
    finishInput()
  }

  private func links(between first: ControllerID, _ second: ControllerID) -> [Link] {
    let pair: Set = [first, second]
    return links.values.filter { Set([$0.central.controllerID, $0.peripheral.controllerID]) == pair }
      .sorted { $0.id < $1.id }
  }

  // MARK: Controllers

  /// What is wrong with a controller; nil for one that is not there.
  package func impairment(of id: ControllerID) -> ControllerImpairment? { controller(id)?.impairment }

  /// Changes what is wrong with a controller. Does nothing for one that is not there.
  package func setImpairment(_ impairment: ControllerImpairment, of id: ControllerID) {
    guard let controller = controller(id) else { return }
    controller.impairment = impairment
    let affected = links.values.filter { $0.central.controllerID == id || $0.peripheral.controllerID == id }
    change(affected.sorted { $0.id < $1.id }) { $0.setHung(impairment.isHung, id) }
  }

  /// Lets a controller restart by itself, as after a watchdog: all its state is lost, also what it had to say, and its
  /// peers notice by their supervision timeouts. It hangs no more. Does nothing for one that is not there.
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
