import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { realWorld } from '@stead/world'
import type { MakeRequest, Thing } from '../../simulation/example/outside/api.ts'

export interface OutsideFaults {
  /** How many replies of a hundred are lost after the work was done. */
  readonly lostReplies: number
  readonly slowest: number
}

/** The world outside as a server: real sockets, real lost replies, and a memory of everything that was wrong. */
export class OutsideServer {
  readonly violations: string[] = []
  readonly things = new Map<string, Thing>()
  /** Tokens of live things by widget: two at once is the one thing that must never be. */
  private readonly live = new Map<string, Set<string>>()
  private readonly faults: OutsideFaults
  private readonly server = createServer((request, response) => void this.answer(request, response))
  lostReplies = 0
  calls = 0

  constructor(faults: OutsideFaults) {
    this.faults = faults
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  liveThings(): readonly Thing[] {
    return [...this.things.values()].filter(thing => thing.state === 'live')
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls++
    const { call, body } = (await json(request)) as { call: string; body: unknown }
    await sleep(realWorld.random() * this.faults.slowest)
    const result = this.perform(call, body)
    if (realWorld.random() * 100 < this.faults.lostReplies) {
      this.lostReplies++
      response.destroy()
      return
    }
    response.end(JSON.stringify({ result }))
  }

  private perform(call: string, body: unknown): unknown {
    if (call === 'make') return this.make(body as MakeRequest)
    if (call === 'remove') return this.remove((body as { token: string }).token)
    if (call === 'find') return this.things.get((body as { token: string }).token)
    return [...this.things.values()]
  }

  private make({ token, widgetId, color }: MakeRequest): Thing {
    const before = this.things.get(token)
    if (before) return before
    const thing: Thing = { token, widgetId, color, state: 'live' }
    this.things.set(token, thing)
    const tokens = this.live.get(widgetId) ?? new Set()
    this.live.set(widgetId, tokens.add(token))
    if (tokens.size > 1) this.violations.push(`${widgetId} is there ${tokens.size} times: ${[...tokens].join(', ')}`)
    return thing
  }

  private remove(token: string): null {
    const thing = this.things.get(token)
    if (thing) this.live.get(thing.widgetId)?.delete(token)
    this.things.delete(token)
    return null
  }
}
