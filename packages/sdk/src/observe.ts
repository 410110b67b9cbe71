import type { Instance } from './generated/api.ts'
import type { Instances } from './instances.ts'
import { isProblem, Unreachable, WaitFailed } from './problem.ts'
import type { StreamOptions } from './stream.ts'

export type Phase = Instance['status']['phase']

export interface WaitOptions extends StreamOptions {
  /** `running` unless said. */
  readonly phase?: Phase | readonly Phase[]
  /** Until it is ready too: nothing is under way, and its health checks pass. */
  readonly ready?: boolean
  /** Until nothing is under way, too. */
  readonly isIdle?: boolean
  /** Until this generation of its spec, or a newer, is what there is. */
  readonly generation?: number
  /** Only what is so at or after this revision counts. */
  readonly fromRevision?: number
  /** In milliseconds; ten minutes unless said. */
  readonly timeout?: number
  /** Told how it is, and again at each change on the way. */
  readonly onChange?: (instance: Instance) => void
}

const allPhases: readonly Phase[] = [
  'pending',
  'provisioning',
  'starting',
  'running',
  'stopping',
  'stopped',
  'failed',
  'destroying',
  'destroyed',
]

/** Shorter than what proxies in between take for dead. */
const longestAsk = 25_000

/** How an instance is, and again at each change. Each answer is asked for by revision, so that no restart makes a gap. */
export async function* observe(
  { project }: Instances,
  name: string,
  { signal, onInterrupted, fromRevision = 0, timeout = 600_000 }: WaitOptions,
): AsyncGenerator<Instance> {
  const { stead } = project
  const { machine } = stead.transport
  const until = machine.now() + timeout
  let last: Instance | undefined
  let instance = name
  while (last?.status.phase !== 'destroyed') {
    const left = until - machine.now()
    if (left <= 0)
      throw new WaitFailed('late', `${last ? how(last) : `${name} is unknown`} after ${span(timeout)}`, last)
    const query = {
      phase: allPhases,
      ...(last ? { changedAfter: last.metadata.revision } : { fromRevision }),
      timeout: `${Math.ceil(Math.min(left, longestAsk) / 1_000)}s`,
    }
    try {
      const path = { project: project.name, instance }
      last = await stead.call('GET /v1/projects/{project}/instances/{instance}/wait', {
        ...{ path, query, retryFor: Math.min(left, 1_000) },
        ...(signal && { signal }),
      })
      // From now on this one: another may take its name once it is gone.
      instance = last.metadata.id
      yield last
    } catch (error) {
      if (last && isGone(error)) return yield { ...last, status: { ...last.status, phase: 'destroyed', ready: false } }
      if (isProblem(error, 'wait_timeout')) continue
      const mayPass = error instanceof Unreachable || isProblem(error, 'unavailable', 'rate_limited')
      if (!mayPass || !stead.transport.wasAnswered) throw error
      onInterrupted?.(error.message)
      await machine.sleep(Math.min(1_000, left), signal)
    }
  }
}

const isGone = (error: unknown): boolean =>
  isProblem(error, 'not_found') || (isProblem(error, 'wait_timeout') && error.problem.instance === null)

export async function waitUntil(instances: Instances, name: string, options: WaitOptions): Promise<Instance> {
  const { phase = 'running', ready, isIdle, generation = 0 } = options
  const wanted: readonly Phase[] = typeof phase === 'string' ? [phase] : phase
  for await (const instance of instances.observe(name, options)) {
    const { status, metadata } = instance
    options.onChange?.(instance)
    const isNew = status.observedGeneration >= generation || status.phase === 'destroyed'
    if (wanted.includes(status.phase) && isNew && (!ready || status.ready) && !(isIdle && status.operation))
      return instance
    if (status.phase === 'destroyed') throw new WaitFailed('gone', `${metadata.name} is gone`, instance)
    // What failed can still be deleted, and become nothing else by itself.
    if (status.phase === 'failed' && !status.operation && !wanted.includes('destroyed'))
      throw new WaitFailed('failed', how(instance), instance)
  }
  throw new WaitFailed('gone', `${name} is gone`)
}

/** How it is, with what is in its way if something is. */
function how({ metadata, status }: Instance): string {
  const trouble = status.conditions.find(({ type }) => type === 'Trouble')
  return `${metadata.name} is ${status.phase}${trouble ? ` (${trouble.reason}: ${trouble.message})` : ''}`
}

const span = (milliseconds: number): string => `${Math.round(milliseconds / 1_000)} s`
