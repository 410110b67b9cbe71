import { UnavailableError } from '@stead/engine'
import type { OpenStream } from './streams.ts'

/** Ends a stream because what feeds it failed. Whatever is not the store being away is a bug, for the log. */
export function endFailed(stream: Pick<OpenStream, 'end'>, error: unknown, onBug: (error: unknown) => void): void {
  if (error instanceof UnavailableError) {
    stream.end('unavailable', 'the store cannot be reached: connect again')
    return
  }
  onBug(error)
  stream.end('failed', 'an internal error ended this stream: connect again')
}
