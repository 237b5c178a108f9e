import AccessoryProfile
import ArgumentParser
import Importing

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the GATT server of a profile for another tool.",
    discussion: """
      The formats: \(ExportFormat.all.map { "\($0.name), \($0.summary)" }.joined(separator: "; ")). Warnings name the parts of the \
      profile that the format cannot express. docs/import.md describes what each format carries over.
      """)

  @Argument(help: "The profile: a file, or the name of a shipped one.")
  var profile: String

  @Option(help: ArgumentHelp("The format.", valueName: "format"))
  var to: String

  @Option(name: [.short, .long], help: "The new file (default: standard output).")
  var output: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  func validate() throws {
    guard ExportFormat.named(to) != nil else {
      let known = ExportFormat.all.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no format \(to) (known: \(known))")
    }
    if force, output == nil { throw ValidationError("--force needs --output") }
  }

  func run() throws {
    let loaded = try ProfileArguments.load(profile)
    guard let file = ExportFormat.named(to)?.export(loaded) else { return }
    for remark in file.remarks { Terminal.note("\(profile): warning: \(remark)") }
    guard let output, output != "-" else { return Terminal.print(TerminalText(lines: file.text.dropLast())) }
    try NewFile.writeWhole(file.text, to: output, replacing: force)
    Terminal.print("\(output) has the services of \(profile) for \(to).")
  }
}
