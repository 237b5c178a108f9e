import AccessoryProfile
import ArgumentParser
import Glibc

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a folder with a first test: a profile, a pytest that runs it, and instructions.",
    discussion: """
      The test passes as it is. Change the profile to describe your accessory, and replace the few lines of Bumble with your \
      app. Existing files are never overwritten.
      """)

  @Argument(help: "The folder; it is created if it does not exist.")
  var folder = "accessory-tests"

  @Flag(help: "Print a JSON object: the folder and its new files.")
  var json = false

  func run() throws {
    let inTheWay = TestFolder.files.filter { access("\(folder)/\($0.name)", F_OK) == 0 }.map(\.name)
    guard inTheWay.isEmpty else {
      Terminal.error(
        "cannot create files in \(folder): \(inTheWay.joined(separator: ", ")) would be overwritten; name "
          + "another folder")
      throw ExitStatus.cannotKeepState
    }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw unwritable(folder) }
    for file in TestFolder.files { try write(file.text, to: "\(folder)/\(file.name)") }
    guard !json else {
      return Terminal.print(
        json: .object([
          "folder": .string(folder), "files": .array(TestFolder.files.map { .string($0.name) }),
        ]))
    }
    Terminal.print("\(folder) contains \(TestFolder.files.map(\.name).joined(separator: ", ")).")
    Terminal.print("Try it:")
    Terminal.print("  understudy run \(folder)/accessory.yaml")
    Terminal.print("  pip install -r \(folder)/requirements.txt && pytest \(folder)")
  }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "wxe") else { throw unwritable(path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw unwritable(path) }
  }

  private func unwritable(_ path: String) -> ExitCode {
    Terminal.error("cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput
  }
}
