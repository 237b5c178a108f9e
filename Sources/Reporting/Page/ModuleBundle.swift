/// Combines JavaScript modules into one script, because a page opened from a file cannot load modules.
///
/// Each module becomes a function that returns its exports. The bundle understands the forms that these modules use: `import { a, b } from
/// "./file.js"`, and `export` before `function`, `async function`, `class` and `const`.
struct ModuleBundle {
  /// Returns the text of a module, by its name.
  private let source: (String) -> String?
  private var done: Set<String> = []
  private var text = ""

  /// Returns a script with the module `name` and all modules that it imports; nil if one of them is missing.
  static func script(of name: String, source: @escaping (String) -> String?) -> String? {
    var bundle = ModuleBundle(source: source)
    guard bundle.add(name) else { return nil }
    return "\"use strict\";\nconst modules = {};\n" + bundle.text
  }

  private init(source: @escaping (String) -> String?) { self.source = source }

  private mutating func add(_ name: String) -> Bool {
    guard done.insert(name).inserted else { return true }
    guard let module = source(name) else { return false }
    var (body, names): (String, [String]) = ("", [])
    var statement = ""
    for line in module.split(separator: "\n", omittingEmptySubsequences: false) {
      if !statement.isEmpty || line.hasPrefix("import ") {
        statement += line + "\n"
        guard line.hasSuffix(";") else { continue }
        guard let (imported, file) = Self.parsed(statement), add(file) else { return false }
        body += "const {\(imported.replacing(" as ", with: ": "))} = modules[\"\(file)\"];\n"
        statement = ""
      } else if line.hasPrefix("export ") {
        let rest = line.dropFirst("export ".count)
        guard let exported = Self.name(in: rest) else { return false }
        names.append(exported)
        body += rest + "\n"
      } else {
        body += line + "\n"
      }
    }
    text += "modules[\"\(name)\"] = (() => {\n\(body)return { \(names.joined(separator: ", ")) };\n})();\n"
    return statement.isEmpty
  }

  /// Returns the names between the braces of an import, and the file.
  private static func parsed(_ statement: String) -> (names: String, file: String)? {
    guard let open = statement.firstIndex(of: "{"), let close = statement.firstIndex(of: "}"), open < close,
      let path = statement[close...].firstRange(of: "\"./")?.upperBound,
      let end = statement[path...].firstIndex(of: "\"")
    else { return nil }
    return (String(statement[statement.index(after: open)..<close]), String(statement[path..<end]))
  }

  /// Returns the name that a declaration declares.
  private static func name(in declaration: Substring) -> String? {
    let words = declaration.split(maxSplits: 3) { $0 == " " || $0 == "(" || $0 == "=" || $0 == "{" }
    guard let first = words.first, ["async", "function", "class", "const"].contains(first) else { return nil }
    return words.first { !["async", "function", "class", "const"].contains($0) }.map(String.init)
  }
}
