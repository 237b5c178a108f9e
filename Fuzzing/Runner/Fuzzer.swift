import FuzzTargets
import Glibc

/// libFuzzer's own loop, which calls back with every input.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs the target with one input; libFuzzer calls it.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(Violation) {
    try Fuzzer.target.run(UnsafeBufferPointer(start: start, count: count))
  } catch {
    // A violation is a finding: libFuzzer keeps the input when the process traps.
    fatalError("\(Fuzzer.target.name): \(error)")
  }
  return 0
}

/// The program that fuzzes the target named in the environment. It takes libFuzzer's own arguments.
@main
enum Fuzzer {
  static let target: any FuzzTarget.Type = {
    guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), let target = FuzzTargets.named(name) else {
      fatalError("FUZZ_TARGET must be one of \(FuzzTargets.all.map { $0.name })")
    }
    return target
  }()

  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, testOneInput))
  }
}
