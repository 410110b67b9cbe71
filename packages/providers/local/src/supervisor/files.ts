import { createHash } from 'node:crypto'

/** What lies in the directory of a region besides `instances` and `images`. */
export const files = {
  /** What was terminated. */
  ended: 'ended',
  settings: 'settings.json',
  socket: 'supervisor.sock',
  lock: 'supervisor.lock',
  log: 'supervisor.log',
  key: 'key',
  cache: 'cache',
} as const

/** Where the control groups of a region are. Two regions of one machine must not share them. */
export const cgroupName = (directory: string): string =>
  `stead/${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`
