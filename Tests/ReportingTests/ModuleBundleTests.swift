import AccessoryProfile
import Testing

@testable import Reporting

@Suite("Modules in one script") struct ModuleBundleTests {
  @Test("Imported modules come first, each once, and a module returns its exports by name")
  func order() throws {
    let modules = [
      "a.js":
        "import { two as second,\n  One } from \"./b.js\";\nimport { three } from \"./c.js\";\nsecond(One, three);\n",
      "b.js": "import { three } from \"./c.js\";\nexport class One {}\nexport async function two() { return three; }\n",
      "c.js": "export const three = 3;\nconst hidden = 4;\n",
    ]
    let script = try #require(ModuleBundle.script(of: "a.js") { modules[$0] })
    let places = try ["c.js", "b.js", "a.js"].map { name in
      try #require(script.firstRange(of: "modules[\"\(name)\"] = ")).lowerBound
    }
    #expect(places == places.sorted())
    #expect(script.ranges(of: "modules[\"c.js\"] = ").count == 1)
    #expect(script.contains("return { One, two };") && script.contains("return { three };"))
    #expect(script.contains("const { two: second,\n  One } = modules[\"b.js\"];"))
    #expect(!script.contains("import ") && !script.contains("export "))
  }

  @Test(
    "A missing module, or a form that the bundle does not understand, makes no script",
    arguments: [
      "import { x } from \"./missing.js\";\n", "import x from \"./b.js\";\n", "export { x };\n", "import { x } from\n",
    ])
  func refused(_ text: String) {
    #expect(ModuleBundle.script(of: "a.js") { ["a.js": text, "b.js": ""][$0] } == nil)
  }

  @Test("The page's script has all its modules")
  func page() {
    let script = ReportPage.script
    #expect(script.contains("modules[\"report.js\"]") && script.contains("modules[\"dom.js\"]"))
    #expect(!script.contains("</script") && !script.contains("<!--"))
  }
}
