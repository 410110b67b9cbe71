import type {
  ControllerState,
  LiveNode,
  NodeDescription,
  StoreDescription,
  StoreIdentity,
  StuckObject,
} from '@stead/engine'
import { type Duration, isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'

const count = (description = '') => Type.Integer({ minimum: 0, ...(description && { description }) })
const inSeconds = (description: string) => Type.Number({ minimum: 0, description })
const Shards = Type.Array(Type.Integer({ minimum: 0 }))

export const ProgramVersion = Type.Object({
  version: Type.String(),
  node: Type.String({ description: "Node's version." }),
  revision: Type.Optional(Type.String({ description: 'The source it was built from, where that is known.' })),
})
export type ProgramVersion = Static<typeof ProgramVersion>

const ControllerWork = Type.Object({
  name: Type.String(),
  kind: Type.String(),
  live: count('Keys that wait for a turn because something changed.'),
  resync: count('Keys that wait for a turn to see whether something was missed.'),
  running: count(),
  delayed: count('Keys that wait for a time.'),
  parked: count('Keys that wait for a change.'),
  oldestSeconds: inSeconds('How long the key that has waited longest for a turn has waited.'),
})

const Stuck = Type.Object({
  kind: Type.String(),
  id: Type.String(),
  controller: Type.String(),
  state: Type.Enum(['failing', 'parked']),
  failures: Type.Optional(Type.Integer({ minimum: 1, description: 'In a row. The log says why.' })),
  reason: Type.Optional(Type.String({ description: 'Why it is parked.' })),
  message: Type.Optional(Type.String()),
  since: Type.Optional(Time),
})

const ThisNode = Type.Object(
  {
    id: Type.String(),
    version: ProgramVersion,
    ready: Type.Boolean(),
    reasons: Type.Array(Type.String({ description: 'Why it is not ready.' })),
    revision: count('The revision it reads at.'),
    lagSeconds: inSeconds('How long ago that was last known to be the newest.'),
    objects: count('In its memory.'),
    shards: Shards,
    controllers: Type.Array(ControllerWork),
    stuck: Type.Array(Stuck, { description: 'Objects of its shards that do not come on; the first 100.' }),
  },
  { description: 'The node that answers.' },
)

const Node = Type.Object({
  id: Type.String(),
  shards: Shards,
  duties: Type.Array(Type.String({ description: 'What it does for all nodes.' })),
  leaseSeconds: inSeconds('How long until others may take over, if it is not heard of before.'),
})

const ofEveryStore = {
  id: Type.String(),
  version: Type.String({ description: "Of the database's software." }),
  epoch: count('Moves when the store is restored or found to be a copy.'),
  observeOnly: Type.Boolean({ description: 'Nothing outside is changed until `stead resume`.' }),
  head: count('The last revision this node knows to be committed.'),
  compacted: count('The newest revision that is no longer in the log.'),
  waitingCommits: count(),
  warnings: Type.Array(Type.String({ description: 'What is not as it should be.' })),
}

const OnSqlite = Type.Object({ database: Type.Literal('sqlite'), ...ofEveryStore, path: Type.String() })

const OnPostgres = Type.Object({
  database: Type.Literal('postgresql'),
  ...ofEveryStore,
  host: Type.String(),
  name: Type.String({ description: 'Of the database.' }),
  user: Type.String(),
  schema: Type.String(),
  notifications: Type.Enum(['unknown', 'working', 'swallowed'], {
    description: 'Whether nodes hear of each other’s commits at once; if not, they poll.',
  }),
  lagSeconds: inSeconds('How long ago all of the log was last known to be here.'),
  sessions: count("Of this node's pool."),
  waitingReads: count('Requests that wait for a session.'),
})

export const System = Type.Object(
  {
    node: ThisNode,
    nodes: Type.Array(Node, { description: 'Every node that lives, as its leases show.' }),
    store: Type.Union([OnSqlite, OnPostgres]),
  },
  { title: 'System' },
)

export interface SystemState {
  readonly version: ProgramVersion
  readonly node: NodeDescription
  readonly nodes: readonly LiveNode[]
  readonly store: StoreIdentity & StoreDescription & { readonly head: number; readonly compacted: number }
}

export const presentSystem = ({ version, node, nodes, store }: SystemState) => ({
  node: {
    ...node,
    id: node.nodeId,
    version,
    lagSeconds: toSeconds(node.lag),
    controllers: node.controllers.map(presentController),
    stuck: node.stuck.map(presentStuck),
  },
  nodes: nodes.map(({ remaining, ...rest }) => ({ ...rest, leaseSeconds: toSeconds(remaining) })),
  store: { ...store, id: store.storeId, ...('lag' in store && { lagSeconds: toSeconds(store.lag as Duration) }) },
})

const presentController = ({ waiting, oldest, ...rest }: ControllerState) => ({
  ...rest,
  ...waiting,
  oldestSeconds: toSeconds(oldest),
})

function presentStuck(object: StuckObject) {
  if (object.state === 'failing') return object
  const { reason, message, since } = object.condition
  return { ...object, reason, message, since: isoTime(since) }
}

const toSeconds = (duration: Duration): number => Math.max(0, Math.round(duration)) / 1_000
