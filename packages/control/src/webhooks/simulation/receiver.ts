import type { NodeContext, Stage } from '@stead/engine/simulation'
import { millis, seconds, type VirtualWorld } from '@stead/world'
import { OutgoingError, type OutgoingStreams } from '../../outgoing/index.ts'

/** What can go wrong on the way to a receiver, and there. */
export const receiverFaults = {
  'node-crash-before-outside-call': { usual: 0.02, meaning: 'a node dies instead of sending' },
  'node-crash-after-outside-call': { usual: 0.02, meaning: 'a node dies when it was taken, before it knows' },
  'receiver-refuses': { usual: 0.1, meaning: 'the receiver answers with 500' },
  'receiver-answer-lost': { usual: 0.1, meaning: 'the receiver has taken it, and its answer is lost' },
  'receiver-slow': { usual: 0.05, meaning: 'the receiver takes it late, after it was given up' },
  'receiver-down': { usual: 0.05, meaning: 'each second: the receiver is away for a while' },
} as const

export type ReceiverFault = keyof typeof receiverFaults

export const invariants = {
  'events come in order': 'an event was taken before one of the same object that happened earlier',
  'what is sent is told': 'a receiver was sent what nobody asked for',
} as const
export type WebhookInvariant = keyof typeof invariants
export type WebhookStage = Stage<ReceiverFault, WebhookInvariant>

/** One of the things a webhook tells of: its events are numbered, from 1. */
interface Told {
  readonly data: { readonly object: { readonly id: string }; readonly message: string }
}

/** Those who are told, by the name in their URL. Each knows what it has taken of each object. */
export class Receivers {
  readonly #stage: WebhookStage
  readonly #taken = new Map<string, number>()
  readonly #away = new Map<string, number>()
  /** Never takes this one: `<object> <number>`. */
  poison: string | undefined
  attempts = 0

  constructor(stage: WebhookStage) {
    this.#stage = stage
  }

  /** The last event of an object that was taken. */
  taken(name: string, object: string): number {
    return this.#taken.get(`${name} ${object}`) ?? 0
  }

  awayUntil(name: string, time: number): void {
    this.#away.set(name, time)
  }

  eachSecond(): void {
    const { faults, world } = this.#stage
    if (faults.strikes('receiver-down'))
      this.awayUntil('flaky', world.time + faults.between('receiver-down', 1_000, 20_000))
  }

  calm(): void {
    this.#away.clear()
  }

  /** The way to them from one node. */
  from({ world: node, die }: NodeContext): OutgoingStreams {
    const { faults } = this.#stage
    return async ({ url, body, signal }, use) => {
      const dies = (fault: 'node-crash-before-outside-call' | 'node-crash-after-outside-call') => {
        if (faults.strikes(fault)) die(fault)
        return node.alive ? undefined : new Promise<never>(() => {})
      }
      await dies('node-crash-before-outside-call')
      const name = new URL(url).pathname.slice(1)
      const status = await this.#receive(name, JSON.parse(Buffer.from(body!).toString()), node, signal)
      await dies('node-crash-after-outside-call')
      return use({ status, headers: {}, url, content: nothing() })
    }
  }

  async #receive(name: string, { data }: Told, node: NodeContext['world'], signal?: AbortSignal): Promise<number> {
    const { faults, world } = this.#stage
    this.attempts++
    await node.sleep(millis(5), signal)
    const broken = () => new OutgoingError('unreachable', 'the connection failed')
    if ((this.#away.get(name) ?? 0) > world.time) throw broken()
    if (this.poison === `${data.object.id} ${data.message}`) return 500
    const isFlaky = name === 'flaky'
    if (isFlaky && faults.strikes('receiver-refuses')) return 500
    if (isFlaky && faults.strikes('receiver-slow')) {
      takeLater(world, () => this.#take(name, data))
      throw new OutgoingError('timeout', 'no complete answer')
    }
    this.#take(name, data)
    if (isFlaky && faults.strikes('receiver-answer-lost')) throw broken()
    return 200
  }

  /** What comes again is taken as it is everywhere: by its id, once. */
  #take(name: string, { object, message }: Told['data']): void {
    const { violations } = this.#stage
    const key = `${name} ${object.id}`
    const before = this.#taken.get(key) ?? 0
    const number = Number(message)
    violations.check(Number.isInteger(number), 'what is sent is told', () => `${name} was sent ${message}`)
    violations.check(number <= before + 1, 'events come in order', () => `${key}: ${number} came after ${before}`)
    this.#taken.set(key, Math.max(before, number))
  }
}

/** Before anything else is sent: it is on its way, and its sender waits that long before it tries again. */
const takeLater = (world: VirtualWorld, take: () => void) => void world.setTimer(millis(1), take)

async function* nothing() {}

export const longAway = seconds(3_600)
