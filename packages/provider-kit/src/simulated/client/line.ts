import { millis, type World } from '@stead/world'
import { promptly } from '../../deadline.ts'
import type { Account } from '../account/account.ts'
import type { SimulatedCloud } from '../cloud.ts'

/**
 * A client's connection to the cloud. A request travels on the cloud's time: once sent it arrives, even if whoever sent it
 * has given up or died meanwhile. The answer travels on the client's time: one that has died hears nothing.
 */
export class Line {
  readonly cloud: SimulatedCloud
  readonly client: World
  readonly #key: string

  constructor(cloud: SimulatedCloud, client: World, key: string) {
    this.cloud = cloud
    this.client = client
    this.#key = key
  }

  async call<T>(name: string, effect: (account: Account) => T, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    return promptly(this.#carry(name, effect), signal)
  }

  async #carry<T>(name: string, effect: (account: Account) => T): Promise<T> {
    const there = millis(this.cloud.latency(name) / 2)
    await this.cloud.world.sleep(there)
    const answer = this.cloud.serve(this.#key, name, effect)
    await this.client.sleep(there)
    if ('error' in answer) throw answer.error
    return answer.value
  }
}
