import { constants } from 'node:os'
import { millis, type World } from '@stead/world'

type StopSignal = 'SIGINT' | 'SIGTERM'

// Ctrl-C under `npm start` reaches us twice: from the terminal, and passed on by npm a moment later. That is one wish.
const sameWish = millis(500)

/** Calls `stop` at the first SIGINT or SIGTERM. At the second, whoever sent it has lost patience: the process ends at once. */
export function onStopSignal(world: World, stop: (signal: StopSignal) => void): void {
  let firstAt: number | undefined
  const receive = (signal: StopSignal) => {
    if (firstAt === undefined) {
      firstAt = world.monotonic()
      stop(signal)
    } else if (world.monotonic() - firstAt > sameWish) process.exit(128 + constants.signals[signal])
  }
  process.on('SIGINT', receive)
  process.on('SIGTERM', receive)
}
