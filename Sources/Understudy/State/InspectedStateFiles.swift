/// The files of an accessory for read-only use: nothing is written, and damaged files stay where they are.
struct InspectedStateFiles: StateFiles {
  private let files: any StateFiles

  /// Creates a read-only view of those files.
  init(_ files: any StateFiles) { self.files = files }

  var path: String { files.path }
  func path(of file: StateFile) -> String { files.path(of: file) }
  func bondFiles() -> [StateFile] { files.bondFiles() }
  func read(_ file: StateFile) throws(StateFault) -> [UInt8]? { try files.read(file) }
  func setAside(_ file: StateFile, as word: String) -> String? { nil }
  func write(_ files: [(file: StateFile, octets: [UInt8]?)]) throws(StateFailure) {}
}
