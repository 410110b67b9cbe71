import type { Stead } from './client.ts'
import type { Instance, Operation, Quota } from './generated/api.ts'
import { Instances } from './instances.ts'
import type { StreamOptions } from './stream.ts'
import { type AnyObject, type Change, follow, type WatchOptions, watch } from './watch.ts'

/** What lives in one project. */
export class Project {
  readonly stead: Stead
  /** Its id, or `organization/name`. */
  readonly name: string
  readonly instances: Instances

  constructor(stead: Stead, name: string) {
    this.stead = stead
    this.name = name
    this.instances = new Instances(this)
  }

  /** Every change of some kinds, from now or a revision on. */
  watch<Object = AnyObject>(options: WatchOptions = {}): AsyncGenerator<Change<Object>, void> {
    return watch(this.stead, this.#place, options)
  }

  /** All instances, and then everything that happens to them. */
  follow(options: StreamOptions = {}): AsyncGenerator<Change<Instance>, void> {
    return follow(this.stead, this.#place, { kind: 'instance', list: () => this.instances.all(), ...options })
  }

  operation(operation: string): Promise<Operation> {
    const path = { project: this.name, operation }
    return this.stead.call('GET /v1/projects/{project}/operations/{operation}', { path })
  }

  async quotas(): Promise<readonly Quota[]> {
    const { quotas } = await this.stead.call('GET /v1/projects/{project}/quotas', { path: { project: this.name } })
    return quotas
  }

  get #place(): string {
    return `/v1/projects/${encodeURIComponent(this.name)}`
  }
}
