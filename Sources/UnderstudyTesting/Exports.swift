// `import UnderstudyTesting` alone imports everything that tests refer to.
@_exported import Capture
@_exported import UnderstudyCore
@_exported import VirtualRadio
