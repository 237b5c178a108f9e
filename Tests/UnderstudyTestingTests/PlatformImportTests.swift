import Foundation
import Testing

/// `UnderstudyTesting`, `CoreBluetoothUnderstudy` and their dependencies need nothing that only Linux has.
@Suite("Imports of the platform's modules") struct PlatformImportTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files that import the C library.
  private static let filesOfCLibrary: Set = [
    "AccessoryProfile/Behaviors/SystemClock.swift", "AccessoryProfile/Loading/FileReading.swift",
    "AccessoryProfile/Loading/ProgramLoading.swift", "AccessoryProfile/Shipped/EmbeddedFiles.swift",
    "AccessoryProfile/Shipped/ShippedProfiles.swift", "AccessoryProfile/Shipped/ShippedTexts.swift",
    "BLECore/Octets/DirectoryEntry.swift", "Capture/CaptureFailure.swift", "Capture/File/CaptureFile.swift",
    "Capture/File/FileIdentity.swift", "Capture/File/OutputFile.swift", "Capture/File/SystemCalls.swift",
    "Capture/File/WholeFile.swift", "Capture/Reading/CaptureFileReader.swift", "Capture/Ring/PacketRing.swift",
    "VirtualRadio/Air/Propagation.swift",
  ]

  /// Each platform's module of the C library.
  private static let cLibraries: Set = ["Glibc", "Musl", "Darwin"]
  /// The targets that need Linux, or that read a clock or a line.
  private static let linuxTargets: Set = ["Transport", "CUdev", "CSerial", "Understudy"]
  private static let foundation: Set = ["Foundation", "FoundationEssentials", "Dispatch"]
  /// The target whose API uses types of Foundation and Dispatch.
  private static let targetOfFoundation = "CoreBluetoothUnderstudy"

  @Test("The targets depend on no target that needs Linux") func dependencies() throws {
    let targets = try Self.targets()
    #expect(targets.isSuperset(of: ["BLECore", "Simulation", "UnderstudyCore", "UnderstudyTesting"]))
    let found = targets.intersection(Self.linuxTargets)
    #expect(
      found.isEmpty,
      """
      CoreBluetoothUnderstudy and UnderstudyTesting depend on \(found.sorted()), which need Linux: move what they use to a target above \
      Transport in docs/ARCHITECTURE.md, such as UnderstudyCore
      """)
  }

  @Test("Only the listed files import the C library, for every platform") func cLibrary() throws {
    var files: Set<String> = []
    for (file, modules) in try Self.imports() where !modules.isDisjoint(with: Self.cLibraries) {
      files.insert(file)
      #expect(
        modules.isSuperset(of: Self.cLibraries),
        "Sources/\(file) imports the C library of only some platforms: import Glibc, Musl or Darwin, whichever canImport finds"
      )
    }
    let (new, gone) = (files.subtracting(Self.filesOfCLibrary), Self.filesOfCLibrary.subtracting(files))
    #expect(
      new.isEmpty,
      """
      \(new.sorted()) import the C library: do without it, or use a file that has it already; if neither is possible, add the file to the \
      list in this test, and use only what Linux and macOS share
      """)
    #expect(gone.isEmpty, "\(gone.sorted()) do not import the C library: remove them from the list in this test")
  }

  @Test("No file imports a target that needs Linux, and only one target imports Foundation") func otherModules() throws
  {
    for (file, modules) in try Self.imports() {
      let isAllowed = file.hasPrefix(Self.targetOfFoundation + "/")
      let found = modules.intersection(Self.linuxTargets.union(isAllowed ? [] : Self.foundation))
      #expect(
        found.isEmpty,
        """
        Sources/\(file) imports \(found.sorted()): only \(Self.targetOfFoundation) may import Foundation and Dispatch, and code that needs \
        a clock or a line belongs in Transport, Understudy, or the folder RealTime of \(Self.targetOfFoundation)
        """)
    }
  }

  // MARK: - Reading the package

  /// Returns the names of both targets and of all targets on which they depend.
  private static func targets() throws -> Set<String> {
    let manifest = try text(of: "Package.swift").replacing(/\.product\([^)]*\)/, with: "")
    var dependencies: [String: [String]] = [:]
    for layer in manifest.matches(of: /\blayer\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?/) {
      dependencies[String(layer.1)] = (layer.2 ?? "").matches(of: /"(\w+)"/).map { String($0.1) }
    }
    var found: Set<String> = []
    var waiting = ["UnderstudyTesting", targetOfFoundation]
    while let target = waiting.popLast() {
      if found.insert(target).inserted { waiting += dependencies[target] ?? [] }
    }
    return found
  }

  /// Returns the modules that each Swift file of the targets imports, by its path below Sources.
  private static func imports() throws -> [(file: String, modules: Set<String>)] {
    try targets().sorted().flatMap { target in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources/\(target)").path).sorted()
        .filter { $0.hasSuffix(".swift") && !(target == targetOfFoundation && $0.hasPrefix("RealTime/")) }
        .map { path in
          let lines = try text(of: "Sources/\(target)/\(path)").matches(
            of:
              /(?m)^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var)\s+)?(\w+)/
          )
          return ("\(target)/\(path)", Set(lines.map { String($0.1) }))
        }
    }
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
