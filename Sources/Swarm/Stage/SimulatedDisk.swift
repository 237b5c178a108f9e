import Synchronization
import Understudy

/// An accessory's folder in memory. Its files survive a kill, and it can be full.
final class SimulatedDisk: StateFiles {
  private struct State {
    var files: [StateFile: [UInt8]] = [:]
    var isFull = false
    var hasBeenFull = false
  }

  private let state = Mutex(State())

  let path = "disk"

  /// Sets whether the disk refuses writes.
  func setFull(_ isFull: Bool) {
    state.withLock {
      $0.isFull = isFull
      if isFull { $0.hasBeenFull = true }
    }
  }

  /// Whether it has ever been full, so that its files may be outdated.
  var hasBeenFull: Bool { state.withLock { $0.hasBeenFull } }

  func path(of file: StateFile) -> String { "\(path)/\(file.name)" }

  func bondFiles() -> [StateFile] {
    let files = state.withLock { Array($0.files.keys) }
    return files.filter { if case .bond = $0 { true } else { false } }.sorted { $0.name < $1.name }
  }

  func read(_ file: StateFile) throws(StateFault) -> [UInt8]? { state.withLock { $0.files[file] } }

  func setAside(_ file: StateFile, as word: String) -> String? {
    state.withLock { $0.files[file] = nil }
    return "\(file.name).\(word)"
  }

  func write(_ files: [(file: StateFile, octets: [UInt8]?)]) throws(StateFailure) {
    let isFull = state.withLock { state in
      guard !state.isFull else { return true }
      for (file, octets) in files { state.files[file] = octets }
      return false
    }
    if isFull { throw .unwritable(path: path, reason: "the disk is full") }
  }
}
