// `import CoreBluetooth` also imports Foundation, and apps rely on that.
@_exported import Foundation
