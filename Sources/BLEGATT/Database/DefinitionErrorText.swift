extension AttributeDatabase.DefinitionError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    switch self {
    case .tooManyAttributes:
      "there are more than 65,535 attributes, or fixed handles leave no room for those after them"
    case .unknownInclude(let service, let include): "service \(service) includes \(include), which does not exist"
    case .unknownFormat(let characteristic, let format):
      "the aggregate format of \(characteristic) names \(format), which has no presentation format"
    case .handleTaken(let handle, let service):
      "service \(service) has handle \(handle), which is 0 or not after the preceding ones"
    case .handleConflict(let handle, let first, let second):
      "the services \(first) and \(second) both have the fixed handle \(handle)"
    case .duplicateService(let service): "there is already a service \(service)"
    case .unknownService(let service): "there is no service \(service)"
    case .stillIncluded(let service, let other): "service \(service) cannot be removed because \(other) includes it"
    }
  }
}
