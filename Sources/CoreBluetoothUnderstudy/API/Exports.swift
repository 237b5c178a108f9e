// `import CoreBluetooth` brings Foundation with it, and apps rely on that.
@_exported import Foundation
