import { type AnyObject, isProblem, type MergePatch, type Plan } from '@stead/sdk'
import { instanceKind, type KindOfThing, kinds, type Things } from '../kinds.ts'
import type { Session } from '../session.ts'
import type { Wanted } from './files.ts'
import { changesOf, patchTo } from './merge-patch.ts'

/** One thing to be done so that there is what a file says. */
export interface Step {
  readonly action: 'create' | 'change' | 'delete' | 'keep'
  readonly kind: KindOfThing
  readonly name: string
  readonly changes: readonly { readonly path: string; readonly from?: unknown; readonly to?: unknown }[]
  /** The strongest effect of a change. */
  readonly effect?: Plan['effect']
  readonly loses: readonly string[]
  /** What would be lost otherwise. */
  readonly keeps?: readonly string[]
  /** Whether it does not serve for a while. */
  readonly interrupts?: boolean
  /** What to send. */
  readonly body?: unknown
  /** How it is now, if it is. */
  readonly is?: AnyObject
}

/** The label by which what was applied together is found again. */
export const setLabel = 'apply-set'

export interface Wish {
  readonly wanted: readonly Wanted[]
  readonly set: string
  readonly prune: boolean
}

/** What has to be done, in the order in which it can be. Changes nothing. */
export async function stepsTo(
  session: Session,
  things: Things,
  { wanted, set, prune }: Wish,
): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const each of wanted)
    steps.push(await stepTo(session, things, { ...each, labels: { ...each.labels, [setLabel]: set } }))
  return prune ? [...steps, ...(await pruned(things, wanted, set))] : steps
}

async function stepTo(
  session: Session,
  things: Things,
  { kind, name, labels, displayName, spec }: Wanted,
): Promise<Step> {
  const about = { kind, name, loses: [] }
  const written = { name, labels, ...(displayName !== undefined && { displayName }), spec }
  const is = await existing(things, kind, name)
  if (!is) return { ...about, action: 'create', changes: [], body: written }
  const current = {
    labels: (is.metadata as { labels?: object }).labels ?? {},
    displayName: (is.metadata as { displayName?: string }).displayName,
    spec: withNames(is.spec, spec),
  }
  const patch = patchTo(current, { labels, ...(displayName !== undefined && { displayName }), spec }, isWhole) as
    | MergePatch
    | undefined
  if (!patch) return { ...about, action: 'keep', changes: [], is }
  const { spec: specPatch, ...aroundSpec } = patch
  const around = changesOf(current, aroundSpec).filter(({ path }) => path !== '')
  if (kind !== instanceKind || !specPatch)
    return { ...about, action: 'change', changes: changesOf(current, patch), body: patch, is }
  const plan = await session.project.instances.plan(is.metadata.id, { spec: specPatch })
  const changes = [...around, ...plan.changes]
  if (changes.length === 0) return { ...about, action: 'keep', changes, is }
  const { effect, loses, keeps, interrupts } = plan
  return { ...about, action: 'change', changes, effect, loses, keeps, interrupts, body: patch, is }
}

/**
 * Labels and what an instance is made of are as the file says, and nothing else. The rest of a spec has defaults that the
 * server fills in: what the file does not name there stays.
 */
const isWhole = (path: string): boolean =>
  path.startsWith('/labels/') || (path.startsWith('/spec/source/') && path !== '/spec/source/services/kind')

const isId = (value: unknown): boolean => typeof value === 'string' && /^[a-z]+_[0-9a-f-]{36}$/.test(value)

/**
 * What there is, with the file's names in place of ids: a reference is written by name and read by id. What instances
 * refer to the server compares itself, in its plan; references of other kinds never change.
 */
function withNames(current: unknown, wanted: Readonly<Record<string, unknown>>): unknown {
  const shown = { ...(current as Record<string, unknown>) }
  for (const [key, value] of Object.entries(wanted)) if (isId(shown[key]) && !isId(value)) shown[key] = value
  return shown
}

async function existing(things: Things, kind: KindOfThing, name: string): Promise<AnyObject | undefined> {
  try {
    return await things.get(kind, name)
  } catch (error) {
    if (isProblem(error, 'not_found')) return undefined
    throw error
  }
}

/** What an earlier file of the same set had, and this one has not. What stands on others goes first. */
async function pruned(things: Things, wanted: readonly Wanted[], set: string): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const kind of kinds.filter(({ inFiles }) => inFiles).toReversed())
    for await (const is of things.list(kind, { labels: `${setLabel}=${set}`, limit: 500 })) {
      const { name = is.metadata.id } = is.metadata
      const isWanted = wanted.some(each => each.kind === kind && each.name === name)
      const isGoing = Boolean((is.metadata as { deletedAt?: string | null }).deletedAt)
      const loses = kind === instanceKind ? ['disk', 'addresses', 'localState'] : []
      if (!isWanted && !isGoing) steps.push({ action: 'delete', kind, name, changes: [], loses, is })
    }
  return steps
}

/** Whether something that cannot be had again goes with it. */
export const isDestructive = ({ action, effect }: Step): boolean =>
  action === 'delete' || effect === 'rebuild' || effect === 'replace'
