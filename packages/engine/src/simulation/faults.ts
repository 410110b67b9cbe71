import type { SeededRandom } from '@stead/world'

export interface FaultKind {
  /** How likely it is each time it could happen; a run draws its own likelihood around that. */
  readonly usual: number
  readonly meaning: string
}

/** Faults by name. */
export type FaultCatalogue = Readonly<Record<string, FaultKind>>

/** How likely each fault is in one run, each time it could happen. */
export type FaultMix<Name extends string = string> = Readonly<Partial<Record<Name, number>>>

/** One fault at exactly one of its occasions; the first is 1. */
export interface ScriptedFault<Name extends string = string> {
  readonly name: Name
  readonly at: number
}

export interface FaultTally {
  /** How often it could have happened. */
  occasions: number
  /** How often it did. */
  hits: number
}

export type FaultReport<Name extends string = string> = Record<Name, FaultTally>

export interface FaultsOptions<Name extends string> {
  readonly random: SeededRandom
  readonly catalogue: Readonly<Record<Name, FaultKind>>
  readonly mix?: FaultMix<Name> | undefined
  readonly script?: readonly ScriptedFault<Name>[]
}

/**
 * Decides when something goes wrong. Each fault draws from a stream of its own, so that one more occasion of one fault
 * moves no other, and a run that is disturbed a little differently stays comparable.
 */
export class Faults<Name extends string = string> {
  readonly report: FaultReport<Name>
  readonly #streams: Record<Name, SeededRandom>
  readonly #mix: FaultMix<Name> | undefined
  readonly #script: ReadonlySet<string>
  #stopped = false

  constructor({ random, catalogue, mix, script = [] }: FaultsOptions<Name>) {
    this.report = emptyReport(catalogue)
    this.#streams = mapNames(catalogue, name => random.fork(name))
    this.#mix = mix
    this.#script = new Set(script.map(({ name, at }) => `${name}/${at}`))
  }

  /** Asked at every occasion: does it happen here? */
  strikes(name: Name): boolean {
    if (this.#stopped) return false
    const tally = this.report[name]
    tally.occasions++
    const chance = this.#mix?.[name] ?? 0
    const isDrawn = chance > 0 && this.#streams[name].next() < chance
    const hit = isDrawn || this.#script.has(`${name}/${tally.occasions}`)
    if (hit) tally.hits++
    return hit
  }

  /** How bad it is, once it has struck. */
  between(name: Name, low: number, high: number): number {
    return low + this.#streams[name].next() * (high - low)
  }

  /** From here on nothing goes wrong any more: what was disturbed must come right. */
  stop(): void {
    this.#stopped = true
  }
}

/** Draws a run's own mix: calm or hostile as a whole, and within that each fault absent, rare or frequent. */
export function drawMix<Name extends string>(
  catalogue: Readonly<Record<Name, FaultKind>>,
  random: SeededRandom,
): FaultMix<Name> {
  const hostility = 4 ** (random.next() * 2.5 - 1.5)
  return mapNames(catalogue, name => {
    const isPresent = random.next() < 0.7
    const likelihood = catalogue[name].usual * hostility * 4 ** (random.next() * 2 - 1)
    return isPresent ? Math.min(likelihood, 0.5) : 0
  })
}

export const emptyReport = <Name extends string>(catalogue: Readonly<Record<Name, unknown>>): FaultReport<Name> =>
  mapNames(catalogue, () => ({ occasions: 0, hits: 0 }))

export function addReport<Name extends string>(total: FaultReport<Name>, run: FaultReport<Name>): void {
  for (const name of Object.keys(total) as Name[]) {
    total[name].occasions += run[name].occasions
    total[name].hits += run[name].hits
  }
}

/** A table for people: how often each fault was hit, of how many occasions. */
export function printReport<Name extends string>(
  catalogue: Readonly<Record<Name, FaultKind>>,
  report: FaultReport<Name>,
): string {
  const names = Object.keys(catalogue) as Name[]
  const width = Math.max(...names.map(name => name.length))
  const rows = names.map(name => {
    const { hits, occasions } = report[name]
    return `${name.padEnd(width)} ${String(hits).padStart(7)} of ${String(occasions).padStart(8)}  ${catalogue[name].meaning}`
  })
  return rows.join('\n')
}

const mapNames = <Name extends string, T>(
  catalogue: Readonly<Record<Name, unknown>>,
  make: (name: Name) => T,
): Record<Name, T> =>
  Object.fromEntries((Object.keys(catalogue) as Name[]).map(name => [name, make(name)])) as Record<Name, T>
