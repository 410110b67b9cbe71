import { type Duration, millis, minutes, seconds } from '@stead/world'
import type { IdempotencyMode } from '../capabilities.ts'
import type { Flavor } from '../catalog.ts'
import type { Rate } from '../throttle.ts'

/** How a simulated cloud behaves when nothing goes wrong. */
export interface CloudProfile {
  /** What this cloud offers to make a create happen once. */
  readonly idempotency: IdempotencyMode
  /** For `search`: longer than anything that was sent can take to show in a list. */
  readonly settle: Duration
  /** How long a launch call takes there and back, and how long every other call does. */
  readonly launchCall: Duration
  readonly call: Duration
  readonly boot: Duration
  readonly stop: Duration
  readonly terminate: Duration
  /** How long a network, a volume or an image takes to be ready. */
  readonly build: Duration
  /** How far each of these times may be off, as a share: 0.2 is up to 20 % more or less. */
  readonly jitter: number
  /** How old a picture a read may answer. Each read draws its own age. */
  readonly consistency: { readonly describe: Duration; readonly list: Duration }
  readonly pageSize: number
  /** Whether machines can have addresses that stay their own. */
  readonly keepsAddresses: boolean
  /** Calls granted to each account. */
  readonly rate: Rate | null
  /** Servers there is room for in the whole cloud, and servers each account may have. */
  readonly capacity: number | null
  readonly quota: number | null
  /** How long a terminated server can still be described. */
  readonly keepTerminated: Duration
  readonly keepEvents: number
  readonly keepLines: number
  readonly flavors: readonly Flavor[]
  readonly images: readonly string[]
}

const flavor = (id: string, cpus: number, memoryMiB: number, diskGiB: number): Flavor => ({
  id,
  name: id,
  architecture: 'x86_64',
  virtualization: 'virtualized',
  cpuMillis: cpus * 1_000,
  memoryMiB,
  diskBytes: diskGiB * 2 ** 30,
  gpu: null,
})

export const defaultProfile: CloudProfile = {
  idempotency: 'token',
  settle: seconds(5),
  launchCall: millis(200),
  call: millis(10),
  boot: seconds(1),
  stop: millis(500),
  terminate: millis(500),
  build: millis(300),
  jitter: 0,
  consistency: { describe: millis(0), list: millis(0) },
  pageSize: 500,
  keepsAddresses: true,
  rate: null,
  capacity: null,
  quota: null,
  keepTerminated: minutes(1),
  keepEvents: 10_000,
  keepLines: 1_000,
  flavors: [flavor('small', 1, 1_024, 10), flavor('medium', 2, 4_096, 20), flavor('large', 8, 16_384, 80)],
  images: ['minimal', 'debian-12'],
}
