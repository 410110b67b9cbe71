import type { SeededRandom } from '@stead/world'
import type { Limits } from '../../quotas/limits.ts'

/** One thing a tenant wants of an instance, after having waited this long. */
export type Step = { readonly after: number } & (
  | { readonly type: 'create' | 'restart' | 'suspend' | 'unsuspend' | 'delete' }
  /** Becomes an instance by being adopted: it was made in the cloud by somebody else. A rival wants the same. */
  | { readonly type: 'adopt'; readonly rival: boolean }
  /** Reaches for what another tenant has. */
  | { readonly type: 'pry'; readonly way: number }
  | { readonly type: 'power'; readonly power: 'on' | 'off' }
  | { readonly type: 'label'; readonly label: string }
  /** A new size of a machine, a new image, or another key, for which it is replaced. */
  | ({ readonly type: 'change'; readonly flavor?: string; readonly image?: string; readonly key?: string } & Consent)
  /** Whether a machine is to keep its addresses from now on. */
  | { readonly type: 'keep'; readonly keep: boolean }
  /** A new version of the secret that services use. */
  | { readonly type: 'rotate'; readonly version: number }
)

/** Whoever does not ask first agrees to whatever it costs; who asks agrees to what they are told. */
interface Consent {
  readonly asks?: boolean
}

export interface Life {
  readonly name: string
  readonly tenant: string
  readonly source: 'machine' | 'services'
  /** It keeps its addresses from the beginning. */
  readonly keeps?: boolean
  readonly steps: readonly Step[]
}

/** What an operator lets a tenant, or all of them together, use from then on. */
export interface Limiting {
  readonly after: number
  readonly place: string
  readonly limits: Limits
}

export interface Plan {
  readonly lives: readonly Life[]
  readonly limits: readonly Limiting[]
}

/** Tenants, and the organization that each is of. */
const organizationsOf: Readonly<Record<string, string>> = {
  'tenant-0': 'org_sim',
  'tenant-1': 'org_sim',
  'tenant-2': 'org_other',
}
export const tenants = Object.keys(organizationsOf)
export const organizations = [...new Set(Object.values(organizationsOf))]
export const organizationOf = (tenant: string): string => organizationsOf[tenant]!

/** How many ways there are to reach for what is another's. */
export const waysToPry = 8

export const flavors = ['small', 'medium', 'large'] as const
export const images = ['minimal', 'debian-12'] as const
export const keys = ['A', 'B'].map(letter => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letter.repeat(43)}`)

export function drawPlan(random: SeededRandom): Plan {
  const lives = Array.from({ length: 2 + random.below(5) }, (_, index) => drawLife(random, index))
  return { lives, limits: drawLimits(random, lives) }
}

/** Some have no limits. Others are short of something from the beginning, or have it taken from them on the way. */
function drawLimits(random: SeededRandom, lives: readonly Life[]): readonly Limiting[] {
  const payers = new Set(lives.flatMap(({ tenant }) => [organizationOf(tenant), tenant]))
  const places = [...organizations, ...tenants].filter(place => payers.has(place))
  return places.flatMap(place => {
    const most = lives.filter(({ tenant }) => place === organizationOf(tenant) || place === tenant).length
    const limits = (): Limits => ({
      instances: random.below(most + 2),
      ...(random.next() < 0.5 && { cpuMillis: 500 * random.below(4 * most + 1) }),
      ...(random.next() < 0.3 && { diskGiB: 10 * random.below(3 * most + 1) }),
    })
    const first = random.next() < 0.4 ? [{ after: 0, place, limits: limits() }] : []
    const later = random.next() < 0.2 ? [{ after: random.below(40_000), place, limits: limits() }] : []
    return [...first, ...later]
  })
}

function drawLife(random: SeededRandom, index: number): Life {
  const after = () => Math.round(12_000 * random.next() ** 2)
  const source = random.next() < 0.5 ? 'machine' : 'services'
  const isAdopted = source === 'machine' && random.next() < 0.3
  const steps: Step[] = [
    isAdopted ? { type: 'adopt', rival: random.next() < 0.5, after: after() } : { type: 'create', after: after() },
  ]
  const keeps = source === 'machine' && !isAdopted && random.next() < 0.5
  let version = 1
  for (let left = random.below(6); left > 0; left--) {
    const step = drawStep(random, source)
    const isRotated = step.type === 'rotate'
    const asks = step.type === 'change' && random.next() < 0.5
    steps.push({ after: after(), ...step, ...(isRotated && { version: ++version }), ...(asks && { asks }) } as Step)
  }
  // Who was suspended is let go, so that the end does not hang on the last draw.
  if (steps.some(({ type }) => type === 'suspend')) steps.push({ type: 'unsuspend', after: after() })
  if (random.next() < 0.5) steps.push({ type: 'delete', after: after() })
  return { name: `inst-${index}`, tenant: tenants[index % tenants.length]!, source, keeps, steps }
}

type Drawn = Step extends infer Each ? (Each extends unknown ? Omit<Each, 'after'> : never) : never

function drawStep(random: SeededRandom, source: Life['source']): Drawn {
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!
  switch (random.below(12)) {
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
    case 7:
      return { type: 'pry', way: random.below(waysToPry) }
    case 6:
      return source === 'services' ? { type: 'rotate', version: 0 } : { type: 'change', image: pick(images) }
    case 8:
    case 9:
      return source === 'machine' ? { type: 'change', key: pick(keys) } : { type: 'change', image: pick(images) }
    case 10:
      return source === 'machine' ? { type: 'keep', keep: pick([true, false]) } : { type: 'label', label: 'e' }
    default:
      return { type: 'change', image: pick(images) }
  }
}

export interface Wanted {
  readonly power: 'on' | 'off'
  readonly label: string | undefined
  readonly flavor: string
  readonly image: string
  readonly key: string | undefined
  readonly keep: boolean
  /** The version of the secret that services run with. */
  readonly version: number
}

/** What an instance is in the end; undefined when it is gone. */
export function wantedOf({ steps, keeps = false }: Life): Wanted | undefined {
  if (steps.some(({ type }) => type === 'delete')) return undefined
  let wanted: Wanted = {
    ...{ power: 'on', label: undefined, flavor: flavors[0], image: images[0], version: 1 },
    ...{ key: undefined, keep: keeps },
  }
  for (const step of steps) {
    if (step.type === 'power') wanted = { ...wanted, power: step.power }
    if (step.type === 'label') wanted = { ...wanted, label: step.label }
    if (step.type === 'rotate') wanted = { ...wanted, version: step.version }
    if (step.type === 'keep') wanted = { ...wanted, keep: step.keep }
    if (step.type === 'change') {
      const { flavor = wanted.flavor, image = wanted.image, key = wanted.key } = step
      wanted = { ...wanted, flavor, image, key }
    }
  }
  return wanted
}
