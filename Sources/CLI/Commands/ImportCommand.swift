import AccessoryProfile
import ArgumentParser
import Glibc
import Importing

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Turn another tool's description of a GATT server into a profile.",
    discussion: """
      The format is recognized from the content: \(ImportFormat.all.map { "\($0.name), \($0.summary)" }.joined(separator: "; ")). \
      The parts that a profile cannot express become comments in it, and warnings. The profile is checked before it is written. \
      docs/import.md describes what each format carries over.
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Option(help: ArgumentHelp("The format of the file, if it is not recognized.", valueName: "format"))
  var from: String?

  @Option(help: "A name for the accessory, instead of the one in the file.")
  var name: String?

  @Option(name: [.short, .long], help: "The new profile (default: standard output).")
  var output: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  func validate() throws {
    if let from, ImportFormat.named(from) == nil {
      let known = ImportFormat.all.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no format \(from) (known: \(known))")
    }
    if let name, name.isEmpty || name.utf8.count > 248 { throw ValidationError("a name has 1 to 248 octets") }
    if force, output == nil { throw ValidationError("--force needs --output") }
  }

  func run() throws {
    let source = ImportSource(name: file == "-" ? "standard input" : file, text: try text())
    let folder = file == "-" ? "" : file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let result: ProfileImport
    do throws(ImportError) {
      result = try ProfileImport.read(source, format: from, name: name, output: output ?? "profile.yaml") { path in
        // A file from elsewhere must not make the program read files in other folders.
        guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
          return .failure(IncludeFailure(reason: "it is not beside the imported file; copy it there"))
        }
        return FileReading.text(at: folder + path).mapError { IncludeFailure(reason: $0.reason) }
      }
    } catch {
      Terminal.note(TerminalText(lines: error.description))
      throw ExitStatus.invalidProfile
    }
    for warning in result.warnings + result.written.profile.warnings {
      Terminal.note(TerminalText(lines: "\(warning)"))
    }
    if result.omittedWarnings > 0 {
      Terminal.note("\(source.name): \(result.omittedWarnings) more warnings, not shown")
    }
    guard let output, output != "-" else {
      return Terminal.print(TerminalText(lines: result.written.text.dropLast()))
    }
    try NewFile.writeWhole(result.written.text, to: output, replacing: force)
    let word = NewFile.quoted(output)
    Terminal.print("\(output) has the services of \(source.name), read as \(result.format). Try it:")
    Terminal.print("  understudy describe \(word)    # shows it as a central will see it")
    Terminal.print("  understudy run \(word)         # runs it; with --controller auto on a board")
  }

  private func text() throws -> String {
    guard file == "-" || access(file, F_OK) == 0 else {
      Terminal.error("there is no file \(file)")
      throw ExitStatus.noInput
    }
    switch file == "-" ? FileReading.standardInput() : FileReading.text(at: file) {
    case .success(let text): return text
    case .failure(let failure):
      // The end of the message is about profiles.
      let reason = failure.reason.split(separator: ";").first.map { String($0) } ?? failure.reason
      Terminal.note("\(file):1:1: error: \(reason)")
      throw ExitStatus.invalidProfile
    }
  }
}
