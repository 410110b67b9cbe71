import { canonicalJson, changeSet, createMetrics, type ObjectDraft, Sealer, SealKey } from '@stead/engine'
import {
  type Domain,
  drawMix,
  Experiment,
  type ExperimentOptions,
  engineFaults,
  type Outcome,
} from '@stead/engine/simulation'
import { type Duration, millis, SeededRandom, type World } from '@stead/world'
import { appendEvent, eventsTable } from '../../events/model.ts'
import { sealInto } from '../../sealed/model.ts'
import { type WebhookParts, webhookController } from '../controller.ts'
import { Webhook, type WebhookSpec, type WebhookStatus } from '../model.ts'
import { postMetrics } from '../post.ts'
import { newSecret } from '../signature.ts'
import { type ReceiverFault, Receivers, receiverFaults, type WebhookInvariant, type WebhookStage } from './receiver.ts'

export const catalogue = { ...engineFaults, ...receiverFaults }

type Options = ExperimentOptions<ReceiverFault, WebhookInvariant>

export interface RunOptions
  extends Pick<Options, 'seed' | 'nodes' | 'mix' | 'script' | 'print' | 'settleLimit'>,
    Partial<Pick<Life, 'objects' | 'changes' | 'pause'>> {
  /** With a bug in them. */
  readonly parts?: Partial<WebhookParts>
  /** What happens to those who are told. */
  readonly prepare?: (receivers: Receivers, stage: WebhookStage) => void
}

/** What users do: each object is changed so often, one change after the other. */
interface Life {
  readonly objects: number
  readonly changes: number
  readonly pause: Duration
}

export type WebhookOutcome = Outcome<ReceiverFault, WebhookInvariant> & { readonly receivers: Receivers }

const thing = 'thing'
const place = { organizationId: 'org_1', projectId: 'prj_1' }
/** One that fails in every way there is, and one that always takes everything. */
const names = ['flaky', 'good'] as const

/** Things change, and two webhooks tell of it. */
export async function run({
  parts = {},
  prepare,
  objects = 3,
  changes = 6,
  pause = millis(300),
  ...options
}: RunOptions) {
  let receivers: Receivers | undefined
  const domain = (stage: WebhookStage): Domain => {
    receivers = new Receivers(stage)
    prepare?.(receivers, stage)
    return domainOf(stage, receivers, { life: { objects, changes, pause }, parts })
  }
  const outcome = await new Experiment<ReceiverFault, WebhookInvariant>({ ...options, catalogue, domain }).run()
  return { ...outcome, receivers: receivers! }
}

function domainOf(
  stage: WebhookStage,
  receivers: Receivers,
  { life, parts }: { readonly life: Life; readonly parts: Partial<WebhookParts> },
): Domain {
  const ids = Array.from({ length: life.objects }, (_, index) => `thing_${index}`)
  const told = () => names.flatMap(name => ids.map(id => `${name} ${id} ${receivers.taken(name, id)}`))
  return {
    controllers(context) {
      const { world, store } = context
      const office = {
        take: receivers.from(context),
        store,
        sealer: sealerOf(world),
        measure: postMetrics(createMetrics()),
      }
      return [webhookController(office, [thing], parts)]
    },
    users: () => runUsers(stage, ids, life),
    eachSecond: () => receivers.eachSecond(),
    synced() {},
    calm: () => receivers.calm(),
    isSettled: () =>
      names.every(name => ids.every(id => receivers.taken(name, id) === life.changes)) && isNoted(stage, ids),
    endState: () => canonicalJson({ told: told() }),
  }
}

/** Everything that happened to them is written down as sent. What the webhooks tell of themselves nobody asked for. */
function isNoted({ ledger, cluster }: WebhookStage, ids: readonly string[]): boolean {
  const newestOf = (subject: string) =>
    cluster.database.reader.records({ table: eventsTable, scope: place.projectId, subject, limit: 1 })[0]?.sequence ?? 0
  const newest = Math.max(...ids.map(newestOf))
  return [...ledger.objects.values()]
    .filter(({ kind }) => kind === Webhook.kind)
    .every(({ rest }) => {
      const { status } = JSON.parse(rest) as { readonly status: WebhookStatus }
      return status.cursor >= newest && status.held.length === 0 && status.failing === undefined
    })
}

const sealerOf = (world: World) => new Sealer(world, new SealKey(Buffer.alloc(32, 3)))

async function runUsers({ world, requests }: WebhookStage, ids: readonly string[], life: Life): Promise<void> {
  const known = await requests.insist({
    ...{ who: 'operator', what: 'make webhooks', known: 0 },
    changes: () => webhooks(world),
    isDone: conflict => conflict.type === 'absent',
  })
  const live = async (id: string) => {
    let newest = known
    for (let number = 1; number <= life.changes; number++) {
      await world.sleep(millis(life.pause * (0.5 + world.chance.next())))
      newest = await requests.insist({
        ...{ who: id, what: `change ${number}`, known: newest },
        changes({ engine }) {
          const set = changeSet(world)
          const before = engine.cache
            .platform()
            .get<ReturnType<typeof draft> & { revision: number; generation: number }>(thing, id)
          if (before && before.spec.number >= number) return undefined
          const next = draft(world, id, number)
          if (before) set.update(before, { spec: next.spec })
          else set.create(next)
          appendEvent(set, next, { reason: 'Changed', message: String(number) })
          return set
        },
        isDone: () => false,
      })
    }
  }
  await Promise.all(ids.map(live))
}

const draft = (world: World, id: string, number: number) => ({
  ...{ kind: thing, id, ...place, labels: {}, finalizers: [], createdAt: world.now() },
  ...{ spec: { number }, status: {} },
})

function webhooks(world: World) {
  const set = changeSet(world)
  for (const name of names) {
    const ref = { kind: Webhook.kind, id: `whk_${name}` }
    const secret = sealInto(set, sealerOf(world), ref, Buffer.from(newSecret(world)))
    const webhook: ObjectDraft<WebhookSpec, WebhookStatus> = {
      ...{ ...ref, name, ...place, labels: {}, finalizers: [], createdAt: world.now() },
      spec: { url: `https://receiver.example/${name}`, events: { kinds: [thing] } },
      status: { cursor: 0, held: [], asked: [], secrets: [{ ...secret, since: world.now() }] },
    }
    set.create(webhook)
  }
  return set
}

/** Everything that can go wrong, as often as this seed says. */
export function runSeed(seed: number, options: Partial<RunOptions> = {}): Promise<WebhookOutcome> {
  const mix = drawMix(catalogue, new SeededRandom(seed).fork('mix'))
  return run({ nodes: 3, ...options, seed, mix })
}
