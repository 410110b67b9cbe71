import type { SeededRandom } from '@stead/world'
import type { GadgetSpec } from './gadgets/model.ts'

/** One thing a user wants, after having waited this long. */
export type Step = { readonly after: number } & (
  | { readonly type: 'create'; readonly name: string; readonly spec: GadgetSpec }
  | { readonly type: 'change'; readonly spec: GadgetSpec }
  | { readonly type: 'rename'; readonly name: string }
  | { readonly type: 'delete' }
)

/** One user and one gadget, through its life. */
export interface Life {
  readonly id: string
  readonly steps: readonly Step[]
}

/**
 * What all users do in a run. Each insists on its next step until it has succeeded, and the end does not depend on who
 * came first: names that several want are all given back, and what is left in the end fits into the quotas.
 */
export interface Plan {
  readonly lives: readonly Life[]
  readonly gadgetLimit: number
  readonly widgetLimit: number
}

const colors = ['red', 'green', 'blue', 'plaid'] as const
/** Several users want these, so each must give them back. */
const contested = ['first', 'best'] as const

export function drawPlan(random: SeededRandom): Plan {
  const users = 4 + random.below(5)
  const lives = Array.from({ length: users }, (_, user) => drawLife(random, user, user < users / 3))
  const last = lives.map(lastSpec)
  const widgets = last.reduce((sum, spec) => sum + (spec?.widgets ?? 0), 0)
  return {
    lives,
    // One more than stay, or those who only pass through would never get in.
    gadgetLimit: last.filter(spec => spec).length + 1 + random.below(2),
    widgetLimit: widgets + 2 + random.below(4),
  }
}

function drawLife(random: SeededRandom, user: number, stays: boolean): Life {
  const own = `gadget-${user}`
  const after = () => Math.round(16_000 * random.next() ** 2)
  const spec = (): GadgetSpec => ({ widgets: random.below(5), color: colors[random.below(colors.length)]! })
  const name = !stays && random.next() < 0.8 ? contested[random.below(contested.length)]! : own
  const steps: Step[] = [{ type: 'create', after: after(), name, spec: spec() }]
  for (let left = random.below(6); left > 0; left--)
    if (random.next() < 0.75) steps.push({ type: 'change', after: after(), spec: spec() })
    else steps.push({ type: 'rename', after: after(), name: `${own}-${left}` })
  if (!stays) steps.push({ type: 'delete', after: after() })
  return { id: `gad_${user}`, steps }
}

/** What a gadget is in the end, if it is still there. */
export function lastSpec({ steps }: Life): GadgetSpec | undefined {
  if (steps.at(-1)?.type === 'delete') return undefined
  return steps.findLast(step => 'spec' in step)?.spec
}
