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

  @Flag(help: "Print a JSON object: the folder, its new files, and where the Python client is.")
  var json = false

  func run() throws {
    let client = PythonClient.source
    let files = TestFolder.files(client: client)
    let inTheWay = files.filter { access("\(folder)/\($0.name)", F_OK) == 0 }.map(\.name)
    guard inTheWay.isEmpty else {
      Terminal.error(
        "cannot create files in \(folder): \(inTheWay.joined(separator: ", ")) would be overwritten; name "
          + "another folder")
      throw ExitStatus.cannotKeepState
    }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw NewFile.failure(folder) }
    for file in files { try NewFile.write(file.text, to: "\(folder)/\(file.name)") }
    guard !json else {
      return Terminal.print(
        json: .object([
          "folder": .string(folder), "files": .array(files.map { .string($0.name) }),
          "python_client": client.map { .string($0) } ?? .null,
        ]))
    }
    Terminal.print("\(folder) contains \(files.map(\.name).joined(separator: ", ")).")
    Terminal.print("Try it:")
    Terminal.print("  cd \(NewFile.quoted(folder))")
    Terminal.print("  understudy run accessory.yaml --ephemeral")
    Terminal.print("  python3 -m venv .venv && . .venv/bin/activate")
    Terminal.print("  \(TestFolder.installation(client: client)) && pytest")
    if client == nil { Terminal.note("\(TestFolder.missingClient)") }
  }
}
