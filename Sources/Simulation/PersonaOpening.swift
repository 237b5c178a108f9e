import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink

extension ScriptedCentral {
  /// Does what the centrals of a maker do by themselves on a new link. What the server refuses does not matter to them.
  package func open(as persona: CentralPersona, on link: ConnectionHandle) throws(SimulationFailure) {
    for step in persona.opening {
      let operation: GATTOperation =
        switch step {
        case .exchangeMTU: .exchangeMTU
        case .readServerFeatures: .readByType(.serverSupportedFeatures, 0x0001...0xFFFF)
        case .readDatabaseHash: .readByType(.databaseHash, 0x0001...0xFFFF)
        }
      do { try perform(operation, on: link) } catch let failure as SimulationFailure { throw failure } catch {}
    }
  }

  /// Returns the MTU of a link; 0 if there is no such link.
  package func mtu(of link: ConnectionHandle) -> Int { stack.linkStates.first { $0.handle == link }?.mtu ?? 0 }
}
