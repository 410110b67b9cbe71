export {
  checkedUrl,
  type OutgoingClient,
  type OutgoingReply,
  type OutgoingRequest,
  type OutgoingStream,
  type OutgoingStreams,
  outgoingClient,
  outgoingStreams,
} from './client.ts'
export { OutgoingError, type OutgoingFailure } from './errors.ts'
