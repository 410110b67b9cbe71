import { type ChangeSet, changeSet, type ObjectDraft, type StoredObject } from '@stead/engine'
import { newId, SeededRandom, type World } from '@stead/world'

/** The two writes that are measured. */
export const operations = ['put', 'create'] as const
/** `put`: one object changes. `create`: an object, its name's key, two counters and an event come to be. */
export type Operation = (typeof operations)[number]

/** Enough for each of 256 writers to have its own, so that none waits for another's answer. */
export const populationSize = 10_240

/** What one `create` writes besides the object. */
export interface Creation {
  readonly object: ObjectDraft
  readonly nameKey: string
  readonly counters: readonly [string, string]
  readonly event: { readonly table: string; readonly subject: string; readonly scope: string; readonly body: unknown }
}

export interface WorkloadOptions {
  /** What objects are called: of several that write to one store, each needs names of its own. */
  readonly names?: string
  /** At least as many as writers. */
  readonly population?: number
}

/**
 * Objects like those a control plane holds, about 1 KB each as JSON. The same seed gives the same objects to every
 * contender; ids are new each time, as they are in life.
 */
export class Workload {
  /** How many objects there are to change. */
  readonly population: number
  readonly #world: World
  readonly #names: string
  readonly #random = new SeededRandom('workload')
  #made = 0

  constructor(world: World, { names = 'web', population = populationSize }: WorkloadOptions = {}) {
    this.#world = world
    this.#names = names
    this.population = population
  }

  /** The next thing to create. */
  creation(): Creation {
    const number = this.#made++
    const project = `proj_${number % 20}`
    const object = this.#object(number, project)
    return {
      object,
      nameKey: `instance-name/${project}/${object.name}`,
      counters: [`quota/org_0/instances`, `quota/${project}/cpuMillis`],
      event: {
        table: 'events',
        subject: object.id,
        scope: project,
        body: { reason: 'Created', message: `instance ${object.name} was created`, by: object.createdBy },
      },
    }
  }

  creations(count: number): Creation[] {
    return Array.from({ length: count }, () => this.creation())
  }

  /** In another order: objects that change together were seldom created together, and are seldom on one page. */
  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items]
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.#random.below(i + 1)
      ;[result[i], result[j]] = [result[j]!, result[i]!]
    }
    return result
  }

  #object(number: number, projectId: string): ObjectDraft {
    const hex = (length: number) =>
      this.#random
        .below(16 ** length)
        .toString(16)
        .padStart(length, '0')
    const since = this.#world.now()
    return {
      kind: 'instance',
      id: newId(this.#world, 'inst'),
      organizationId: 'org_0',
      projectId,
      name: `${this.#names}-${number}`,
      labels: { app: 'web', tier: number % 3 === 0 ? 'front' : 'back', commit: hex(8) },
      finalizers: ['stead.server'],
      createdAt: since,
      createdBy: 'user_alice',
      spec: {
        region: 'reg_local',
        source: {
          machine: {
            flavor: 'small',
            image: `img_${hex(12)}`,
            network: `net_${hex(12)}`,
            securityGroups: [`sg_${hex(12)}`, `sg_${hex(12)}`],
            publicIp: false,
            userData: { size: 1_024, hash: `sha256:${hex(8)}${hex(8)}${hex(8)}${hex(8)}` },
          },
        },
        power: 'on',
        onServerLoss: 'fail',
        onCrash: 'restart',
        drift: 'report',
      },
      status: {
        phase: 'running',
        ready: true,
        observedGeneration: 1,
        power: 'on',
        health: 'healthy',
        addresses: {
          private: [`10.0.${number % 250}.${number % 200}`],
          public: [],
          mac: `02:00:00:${hex(2)}:${hex(2)}:${hex(2)}`,
        },
        conditions: [
          { type: 'Ready', status: 'true', reason: 'Running', message: 'the instance runs and is healthy', since },
          { type: 'Reachable', status: 'true', reason: 'Answers', message: 'it answers on its address', since },
        ],
      } as ObjectDraft['status'],
    }
  }
}

/** One more change of the kind controllers make all day: status moves, spec does not. */
export const nextStatus = (object: ObjectDraft, turn: number): ObjectDraft['status'] =>
  ({ ...object.status, heartbeat: turn }) as ObjectDraft['status']

export const putOf = (world: World, object: StoredObject, turn: number): ChangeSet =>
  changeSet(world).update(object, { status: nextStatus(object, turn) })

export const createOf = (world: World, { object, nameKey, counters, event }: Creation): ChangeSet =>
  changeSet(world).create(object).take(nameKey, object.id).move(counters[0], 1).move(counters[1], 2_000).record(event)
