import { type Duration, millis, type SeededRandom } from '@stead/world'

/** Everything that can go wrong in a simulated cloud, by name. */
export const faults = {
  errorBefore: 'a call fails and nothing happened',
  lostReply: 'a call does what it should and its answer is lost',
  lateEffect: 'a call is answered with an error and happens a little later',
  slow: 'a call takes ten times as long',
  throttled: 'a call is refused for its rate',
  capacity: 'a launch finds no room',
  quota: 'a launch finds the account full',
  staleDescribe: 'a describe answers from an older picture',
  staleList: 'a list answers from an older picture',
  bootFailure: 'a server that was launched or started does not come up',
  stopIgnored: 'a stop is accepted and does not take',
  stuck: 'a change of state takes a hundred times as long',
  addressChange: 'a server comes back from a stop with other addresses',
  crash: 'a server dies and is still there',
  disappear: 'a server is gone without a trace',
  brokenWatch: 'an event stream breaks off',
  missingSample: 'usage is not known for a while',
  outage: 'nothing answers',
  partialOutage: 'some calls do not answer',
  slowness: 'everything answers slowly',
} as const

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]

export interface Script {
  /** Only these calls; any when left out. */
  readonly on?: string | readonly string[]
  /** Only this server. */
  readonly server?: string
  /** It strikes the nth time it could, counted from when the script was given. */
  readonly nth?: number
  /** And this many times in a row from there. */
  readonly times?: number
  /** How long, for those that take time: how late an effect, how old a picture. */
  readonly by?: Duration
}

interface Planned extends Script {
  readonly fault: FaultName
  occasions: number
}

export interface Occasion {
  readonly call?: string
  readonly server?: string
}

/** Decides which fault strikes when: those that are scripted first, then by chance. Counts every one that struck. */
export class Faults {
  /** The chance of each, per occasion, between 0 and 1. `crash` and `disappear` are per server and hour of running. */
  readonly rates: Partial<Record<FaultName, number>>
  readonly #random: SeededRandom
  readonly #scripts: Planned[] = []
  readonly #counts = new Map<FaultName, number>()

  constructor(random: SeededRandom, rates: Partial<Record<FaultName, number>> = {}) {
    this.#random = random
    this.rates = { ...rates }
  }

  script(fault: FaultName, script: Script = {}): void {
    this.#scripts.push({ ...script, fault, occasions: 0 })
  }

  /** Asked wherever this fault could strike. What it answers says how. */
  strike(fault: FaultName, occasion: Occasion = {}): Script | undefined {
    const struck = this.draw(fault, occasion)
    if (struck) this.count(fault)
    return struck
  }

  /** As `strike`, without counting it yet: an old picture that looks like the present one is no fault. */
  draw(fault: FaultName, occasion: Occasion = {}): Script | undefined {
    return this.#scripted(fault, occasion) ?? this.#byChance(fault)
  }

  /** For one that was only drawn, or brought about from outside. */
  count(fault: FaultName): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1)
  }

  /** How often each has struck. */
  counts(): Readonly<Record<FaultName, number>> {
    const counts = faultNames.map(name => [name, this.#counts.get(name) ?? 0])
    return Object.fromEntries(counts) as Record<FaultName, number>
  }

  /** When something that happens this often per hour happens next. Undefined when it never does. */
  drawDelay(fault: FaultName): Duration | undefined {
    const perHour = this.rates[fault] ?? 0
    return perHour > 0 ? millis((-Math.log(1 - this.#random.next()) / perHour) * 3_600_000) : undefined
  }

  #scripted(fault: FaultName, occasion: Occasion): Script | undefined {
    let hit: Script | undefined
    for (const script of this.#scripts) {
      if (script.fault !== fault || !concerns(script, occasion)) continue
      const { nth = 1, times = 1 } = script
      script.occasions++
      if (script.occasions >= nth && script.occasions < nth + times) hit ??= script
    }
    return hit
  }

  #byChance(fault: FaultName): Script | undefined {
    const rate = this.rates[fault] ?? 0
    return rate > 0 && fault !== 'crash' && fault !== 'disappear' && this.#random.next() < rate ? {} : undefined
  }
}

function concerns(script: Script, occasion: Occasion): boolean {
  const { on, server } = script
  if (server !== undefined && server !== occasion.server) return false
  if (on === undefined) return true
  return occasion.call !== undefined && (typeof on === 'string' ? on === occasion.call : on.includes(occasion.call))
}
