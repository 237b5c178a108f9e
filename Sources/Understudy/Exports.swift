// `import Understudy` alone imports everything that its declarations refer to.
@_exported import Capture
@_exported import ControllerSharing
@_exported import Transport
@_exported import UnderstudyCore
@_exported import VirtualRadio
