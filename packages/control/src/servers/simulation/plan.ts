import type { SeededRandom } from '@stead/world'
import type { BoxSpec } from './boxes.ts'

/** One thing a user wants of its box, after having waited this long. */
export type Step = { readonly after: number } & (
  | { readonly type: 'create'; readonly as?: Partial<BoxSpec> }
  | { readonly type: 'change'; readonly to: Partial<BoxSpec> }
  | { readonly type: 'delete' }
)

export interface Life {
  readonly id: string
  readonly steps: readonly Step[]
}

export type Plan = readonly Life[]

export const firstSpec: BoxSpec = {
  power: 'on',
  flavor: 'small',
  image: 'minimal',
  label: 'a',
  restarts: 0,
  rebuilds: 0,
}

export function drawPlan(random: SeededRandom): Plan {
  return Array.from({ length: 3 + random.below(6) }, (_, user) => drawLife(random, user))
}

function drawLife(random: SeededRandom, user: number): Life {
  const after = () => Math.round(9_000 * random.next() ** 2)
  const steps: Step[] = [{ type: 'create', after: after() }]
  let sequence = 0
  for (let left = random.below(8); left > 0; left--)
    steps.push({ type: 'change', after: after(), to: drawChange(random, ++sequence) })
  if (random.next() < 0.6) steps.push({ type: 'delete', after: after() })
  return { id: `box_${user}`, steps }
}

function drawChange(random: SeededRandom, sequence: number): Partial<BoxSpec> {
  const pick = <T>(...values: readonly T[]): T => values[random.below(values.length)]!
  switch (random.below(7)) {
    case 0:
    case 1:
    case 2:
      return { power: pick('on', 'off') }
    case 3:
      return { flavor: pick('small', 'medium', 'large') }
    case 4:
      return { label: pick('a', 'b', 'c') }
    case 5:
      return { restarts: sequence }
    default:
      return { image: pick('minimal', 'debian-12'), rebuilds: sequence }
  }
}

const changesOf = (step: Step): Partial<BoxSpec> =>
  step.type === 'change' ? step.to : step.type === 'create' ? (step.as ?? {}) : {}

/** What a box is in the end; undefined when it is gone. */
export function lastSpec({ steps }: Life): BoxSpec | undefined {
  if (steps.at(-1)?.type === 'delete') return undefined
  return Object.assign({}, firstSpec, ...steps.map(changesOf))
}
