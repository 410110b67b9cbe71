import type { EngineFault } from '@stead/engine/simulation'
import type { IdempotencyMode } from '@stead/provider-kit'
import type { CrossingFault } from './cloud.ts'
import type { Plan } from './users.ts'

/** Long enough for what came before to be under way, not long enough for all of it to be over. */
const soon = 200
const later = 3_000

/** Small enough to be broken at every single point. */
export const plans = {
  'two networks, deleted while one is made and when one is there': [
    [
      { type: 'network', after: 0, id: 'net_1', cidr: '10.0.0.0/24' },
      { type: 'delete', after: soon, id: 'net_1' },
    ],
    [
      { type: 'network', after: soon, id: 'net_2', cidr: '10.0.1.0/24' },
      { type: 'delete', after: later, id: 'net_2' },
    ],
  ],
  'a group, changed, and deleted with its network': [
    [
      { type: 'network', after: 0, id: 'net_1', cidr: '10.0.0.0/24' },
      { type: 'group', after: soon, id: 'sg_1', network: 'net_1', port: 22 },
      { type: 'change', after: soon, id: 'sg_1', port: 80 },
      { type: 'change', after: later, id: 'sg_1', port: 443 },
      { type: 'delete', after: soon, id: 'net_1' },
    ],
  ],
  'groups that stay, beside maintenance that comes and goes': [
    [
      { type: 'network', after: 0, id: 'net_1', cidr: '10.0.0.0/24' },
      { type: 'group', after: 0, id: 'sg_1', network: 'net_1', port: 22 },
      { type: 'mode', after: soon, mode: 'maintenance' },
      { type: 'group', after: soon, id: 'sg_2', network: 'net_1', port: 80 },
      { type: 'mode', after: later, mode: 'active' },
      { type: 'change', after: soon, id: 'sg_2', port: 8_080 },
      { type: 'delete', after: soon, id: 'sg_1' },
    ],
  ],
  'images, deleted while they come, while they are made, and not at all': [
    [
      { type: 'image', after: 0, id: 'img_1' },
      { type: 'delete', after: soon, id: 'img_1' },
    ],
    [
      { type: 'image', after: soon, id: 'img_2' },
      { type: 'delete', after: 300, id: 'img_2' },
    ],
    [
      { type: 'image', after: soon, id: 'img_3' },
      { type: 'image', after: later, id: 'img_4' },
      { type: 'delete', after: later, id: 'img_4' },
    ],
  ],
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof plans
export const planNames = Object.keys(plans) as PlanName[]

/** Every way in which a cloud makes things once. */
export const modes = ['token', 'name', 'search'] as const satisfies IdempotencyMode[]

/** Where a node can die in the middle of something. What becomes of a database that does is the engine's own to test. */
export const allCrashes = [
  'node-crash-before-commit',
  'node-crash-after-commit',
  'node-crash-before-outside-call',
  'node-crash-after-outside-call',
] as const satisfies (EngineFault | CrossingFault)[]
