import type { CallOptions, Input, ReplyOf } from './client.ts'
import { followEvents } from './follow-events.ts'
import type {
  Console,
  Event,
  Exec,
  Instance,
  InstanceAccepted,
  InstanceWrite,
  MergePatch,
  Plan,
  Restart,
  Scale,
  SignedSshKey,
  Snapshot,
  SnapshotAccepted,
  SshKey,
  Usage,
} from './generated/api.ts'
import { type LogLine, type LogOptions, readLogs } from './logs.ts'
import { observe, type WaitOptions, waitUntil } from './observe.ts'
import type { Project } from './project.ts'
import type { StreamOptions } from './stream.ts'
import { Terminal } from './terminal.ts'

type Filter = NonNullable<Input<'GET /v1/projects/{project}/instances'>['query']>

/** What may be destroyed. */
interface Allowed {
  readonly allow?: 'rebuild' | 'replace'
}

type EventFilter = NonNullable<Input<'GET /v1/projects/{project}/instances/{instance}/events'>['query']>

const longestPage = 500

/** The instances of a project. Each is named by its id or its name. */
export class Instances {
  readonly project: Project

  constructor(project: Project) {
    this.project = project
  }

  list(query: Filter = {}): AsyncGenerator<Instance, void> {
    return this.project.stead.list('GET /v1/projects/{project}/instances', { path: this.#path, query })
  }

  /** All of them at once, with the revision from which to watch on. */
  async all(query: Filter = {}): Promise<{ readonly items: readonly Instance[]; readonly revision: number }> {
    const items: Instance[] = []
    let revision: number | undefined
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: ReplyOf<'GET /v1/projects/{project}/instances'> = await this.project.stead.call(
        'GET /v1/projects/{project}/instances',
        { path: this.#path, query: { limit: longestPage, ...query, ...(cursor !== undefined && { cursor }) } },
      )
      items.push(...page.items)
      // Of the first page: what changed while the others were read is told once more, and never missed.
      revision ??= page.revision
      cursor = page.nextCursor
    }
    return { items, revision: revision ?? 0 }
  }

  get(instance: string, options: CallOptions = {}): Promise<Instance> {
    const path = this.#one(instance)
    return this.project.stead.call('GET /v1/projects/{project}/instances/{instance}', { path, ...options })
  }

  create(body: InstanceWrite, options: CallOptions = {}): Promise<InstanceAccepted> {
    return this.project.stead.call('POST /v1/projects/{project}/instances', { path: this.#path, body, ...options })
  }

  /** A JSON merge patch. What would destroy something is refused unless `allow` says so. */
  change(
    instance: string,
    body: MergePatch,
    { allow, ...options }: CallOptions & Allowed = {},
  ): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    const query = allow === undefined ? {} : { allow }
    return this.project.stead.call('PATCH /v1/projects/{project}/instances/{instance}', {
      path,
      query,
      body,
      ...options,
    })
  }

  /** What a change would do, and what would be lost. Does nothing. */
  plan(instance: string, body: MergePatch): Promise<Plan> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/plan', { path, body })
  }

  start(instance: string): Promise<InstanceAccepted> {
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/start', {
      path: this.#one(instance),
    })
  }

  stop(instance: string): Promise<InstanceAccepted> {
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/stop', {
      path: this.#one(instance),
    })
  }

  restart(instance: string, body: Restart = {}): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/restart', { path, body })
  }

  suspend(instance: string, reason: string): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    const body = { reason }
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/suspend', { path, body })
  }

  unsuspend(instance: string): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/unsuspend', { path })
  }

  /** What would destroy something is refused unless `allow` says so. */
  scale(instance: string, body: Scale, query: Allowed = {}): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/scale', { path, query, body })
  }

  delete(instance: string, options: CallOptions = {}): Promise<InstanceAccepted> {
    const path = this.#one(instance)
    return this.project.stead.call('DELETE /v1/projects/{project}/instances/{instance}', { path, ...options })
  }

  /** An image in the region, of what is on its disk now. */
  snapshot(instance: string, body: Snapshot): Promise<SnapshotAccepted> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/snapshot', { path, body })
  }

  /** A certificate that lets the holder of a key into this machine as one user, for a short while. */
  sshKey(instance: string, body: SshKey, options: CallOptions = {}): Promise<SignedSshKey> {
    const path = this.#one(instance)
    return this.project.stead.call('POST /v1/projects/{project}/instances/{instance}/ssh-key', {
      path,
      body,
      ...options,
    })
  }

  /** What it uses now. What is not known is null, never 0. */
  usage(instance: string, options: CallOptions = {}): Promise<Usage> {
    const path = this.#one(instance)
    return this.project.stead.call('GET /v1/projects/{project}/instances/{instance}/usage', { path, ...options })
  }

  /** What it prints, line by line. */
  logs(instance: string, options: LogOptions = {}): AsyncGenerator<LogLine, void> {
    return readLogs(this, instance, options)
  }

  /** Runs a command inside. */
  async exec(instance: string, body: Exec): Promise<Terminal> {
    const { stead } = this.project
    const path = this.#one(instance)
    const ticket = await stead.call('POST /v1/projects/{project}/instances/{instance}/exec', { path, body })
    return Terminal.open(stead.transport, ticket)
  }

  /** Sits down at its console. */
  async console(instance: string, body: Console = {}): Promise<Terminal> {
    const { stead } = this.project
    const path = this.#one(instance)
    const ticket = await stead.call('POST /v1/projects/{project}/instances/{instance}/console', { path, body })
    return Terminal.open(stead.transport, ticket)
  }

  /** What happened to it, the newest first. */
  events(instance: string, query: EventFilter = {}): AsyncGenerator<Event, void> {
    const path = this.#one(instance)
    return this.project.stead.list('GET /v1/projects/{project}/instances/{instance}/events', { path, query })
  }

  /** What happened to it, the oldest first, and then what happens, until it is gone. */
  async *followEvents(
    instance: string,
    { signal, onInterrupted, ...query }: EventFilter & StreamOptions = {},
  ): AsyncGenerator<Event, void> {
    // By its id: another may take its name once it is gone.
    const { metadata } = await this.get(instance, signal ? { signal } : {})
    const { transport } = this.project.stead
    const options = { ...(signal && { signal }), ...(onInterrupted && { onInterrupted }) }
    yield* followEvents(transport, () => this.events(metadata.id, query), options)
  }

  /** How it is, and again whenever that changes, until it is gone. */
  observe(
    instance: string,
    options: Omit<WaitOptions, 'phase' | 'ready' | 'isIdle' | 'generation' | 'onChange'> = {},
  ): AsyncGenerator<Instance> {
    return observe(this, instance, options)
  }

  /** Waits until it is as wanted. Throws `WaitFailed` when it failed, is gone, or took too long. */
  waitUntil(instance: string, options: WaitOptions = {}): Promise<Instance> {
    return waitUntil(this, instance, options)
  }

  get #path() {
    return { project: this.project.name }
  }

  #one(instance: string) {
    return { project: this.project.name, instance }
  }
}
