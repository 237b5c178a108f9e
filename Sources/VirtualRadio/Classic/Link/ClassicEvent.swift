/// A future event of BR/EDR on the air.
enum ClassicEvent {
  /// A device answers an inquiry, or the inquiry ends.
  case inquiry(ControllerID, UInt32)
  /// The paged device answers, or the time for it is over.
  case page(ControllerID, UInt32)
  /// A central begins or ends an exchange.
  case slot(ControllerID, UInt32)
  /// A host has not answered a connection request.
  case acceptance(LinkID)
  /// A link end that has heard nothing for the supervision timeout loses the link.
  case supervision(LinkID, ClassicPlace)
  /// A link end that has asked its peer to end the link waits no longer.
  case detachment(LinkID, ClassicPlace)
  /// A link manager has not answered.
  case response(LinkID, UInt32)
}

extension Air {
  func play(_ event: ClassicEvent) {
    switch event {
    case .inquiry(let id, let epoch): controller(id)?.classic?.inquiryIsDue(epoch: epoch)
    case .page(let id, let epoch): controller(id)?.classic?.pageIsDue(epoch: epoch)
    case .slot(let id, let epoch): slotIsDue(of: id, epoch: epoch)
    case .acceptance(let id):
      if let link = classicLinks[id] { acceptanceTimedOut(link) }
    case .supervision(let id, let place):
      if let link = classicLinks[id] { checkSupervision(of: link, at: place) }
    case .detachment(let id, let place):
      if let link = classicLinks[id] { checkDetachment(of: link, at: place) }
    case .response(let id, let epoch):
      if let link = classicLinks[id] { checkResponse(of: link, epoch: epoch) }
    }
  }
}
