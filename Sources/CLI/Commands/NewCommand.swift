import AccessoryProfile
import ArgumentParser

struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Start a profile of your own from a shipped one.",
    discussion: """
      `understudy profiles` lists the shipped profiles, and `understudy new heart-rate belt.yaml` copies one to a file of yours. An \
      existing file is never overwritten.
      """)

  @Argument(help: "The shipped profile to start from.")
  var name: String

  @Argument(help: "The new file (default: the name of the shipped profile, with .yaml).")
  var file: String?

  @Flag(help: "Print a JSON object: the shipped profile and the new file.")
  var json = false

  func validate() throws {
    if file == "-" { throw ValidationError("new writes a file; `understudy profiles \(name)` prints the profile") }
  }

  func run() throws {
    let file = file ?? "\(name).yaml"
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    try NewFile.write(ProfileCopy.text(of: name, beside: folder), to: file)
    guard !json else {
      return Terminal.print(json: .object(["profile": .string(name), "file": .string(file)]))
    }
    let word = NewFile.quoted(file)
    Terminal.print("\(file) has the text of the shipped profile \(name). Change it as you like, and then:")
    Terminal.print("  understudy check \(word)       # reports every error, with line and column")
    Terminal.print("  understudy describe \(word)    # shows it as a central will see it")
    Terminal.print("  understudy run \(word)         # runs it; with --controller auto on a board")
    Terminal.print("`understudy explain KEY` explains a key of the profile.")
  }
}
