// With these, tests need only `import UnderstudyTesting`.
@_exported import Capture
@_exported import UnderstudyCore
@_exported import VirtualRadio
