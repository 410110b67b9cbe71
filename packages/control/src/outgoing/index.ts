export { type OutgoingClient, type OutgoingReply, type OutgoingRequest, outgoingClient } from './client.ts'
export { OutgoingError, type OutgoingFailure } from './errors.ts'
