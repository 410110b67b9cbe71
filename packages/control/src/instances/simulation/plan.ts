import type { SeededRandom } from '@stead/world'

/** One thing a tenant wants of an instance, after having waited this long. */
export type Step = { readonly after: number } & (
  | { readonly type: 'create' | 'restart' | 'suspend' | 'unsuspend' | 'delete' }
  | { readonly type: 'power'; readonly power: 'on' | 'off' }
  | { readonly type: 'label'; readonly label: string }
  /** A new size of a machine, or a new image: with consent to whatever that costs. */
  | { readonly type: 'change'; readonly flavor?: string; readonly image?: string }
)

export interface Life {
  readonly id: string
  readonly tenant: string
  readonly source: 'machine' | 'services'
  readonly steps: readonly Step[]
}

export type Plan = readonly Life[]

export const flavors = ['small', 'medium', 'large'] as const
export const images = ['minimal', 'debian-12'] as const

export const drawPlan = (random: SeededRandom): Plan =>
  Array.from({ length: 2 + random.below(5) }, (_, index) => drawLife(random, index))

function drawLife(random: SeededRandom, index: number): Life {
  const after = () => Math.round(12_000 * random.next() ** 2)
  const source = random.next() < 0.5 ? 'machine' : 'services'
  const steps: Step[] = [{ type: 'create', after: after() }]
  for (let left = random.below(6); left > 0; left--) steps.push({ after: after(), ...drawStep(random, source) })
  // Who was suspended is let go, so that the end does not hang on the last draw.
  if (steps.some(({ type }) => type === 'suspend')) steps.push({ type: 'unsuspend', after: after() })
  if (random.next() < 0.5) steps.push({ type: 'delete', after: after() })
  return { id: `inst_${index}`, tenant: `tenant-${index % 3}`, source, steps }
}

type Drawn = Step extends infer Each ? (Each extends unknown ? Omit<Each, 'after'> : never) : never

function drawStep(random: SeededRandom, source: Life['source']): Drawn {
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!
  switch (random.below(8)) {
    case 0:
    case 1:
      return { type: 'power', power: pick(['on', 'off']) }
    case 2:
      return { type: 'label', label: pick(['a', 'b', 'c']) }
    case 3:
      return { type: 'restart' }
    case 4:
      return { type: 'suspend' }
    case 5:
      return source === 'machine' ? { type: 'change', flavor: pick(flavors) } : { type: 'label', label: 'd' }
    default:
      return { type: 'change', image: pick(images) }
  }
}

export interface Wanted {
  readonly power: 'on' | 'off'
  readonly label: string | undefined
  readonly flavor: string
  readonly image: string
}

/** What an instance is in the end; undefined when it is gone. */
export function wantedOf({ steps }: Life): Wanted | undefined {
  if (steps.some(({ type }) => type === 'delete')) return undefined
  let wanted: Wanted = { power: 'on', label: undefined, flavor: flavors[0], image: images[0] }
  for (const step of steps) {
    if (step.type === 'power') wanted = { ...wanted, power: step.power }
    if (step.type === 'label') wanted = { ...wanted, label: step.label }
    if (step.type === 'change')
      wanted = { ...wanted, flavor: step.flavor ?? wanted.flavor, image: step.image ?? wanted.image }
  }
  return wanted
}
