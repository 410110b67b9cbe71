import { type Duration, type Instant, instant, millis } from '@stead/world'
import type { OpenOperation, OperationEnd } from '../../operations/model.ts'
import { isRefused, type Refusal, type Server, sameTarget, wantedTarget } from '../../servers/model.ts'
import { type Action, type Decision, decide, type InstanceView } from '../decide.ts'
import type { Instance } from '../model.ts'
import { type OperationType, operationSteps, superseded } from '../operations.ts'
import { advance } from '../transitions.ts'
import { anInstance, aServer, type InstanceParts, observed, now as start } from './samples.ts'

/** A world in which decisions are carried out at once and servers do as they are told: what is left is the deciding. */
export class Ideal {
  instance: Instance
  servers: Server[] = []
  operations: OpenOperation[] = []
  region: InstanceView['region'] = 'open'
  effect: 'inPlace' | 'restart' | 'rebuild' | 'replace' = 'inPlace'
  /** Why a server that was launched is not changed. */
  refuses: Pick<Refusal, 'code' | 'message'> | undefined
  lastUsed: Instant | undefined
  now: Instant = start
  isGone = false
  readonly ended: [type: string, state: OperationEnd][] = []
  readonly told: string[] = []
  readonly phases: string[] = []
  #ids = 0

  constructor(parts: InstanceParts = {}) {
    this.instance = anInstance(parts)
  }

  /** What somebody asks for. */
  ask(
    type: OperationType,
    changes: { spec?: Partial<Instance['spec']>; status?: Partial<Instance['status']> } = {},
  ): void {
    for (const operation of superseded(this.operations, { type })) this.#end(operation, 'superseded')
    const { spec, status } = changes
    this.instance = {
      ...this.instance,
      generation: this.instance.generation + (spec ? 1 : 0),
      spec: { ...this.instance.spec, ...spec },
      status: { ...this.instance.status, ...status },
      ...(type === 'delete' && { deletedAt: this.now }),
    }
    this.#begin(type)
  }

  pass(time: Duration): void {
    this.now = instant(this.now + time)
  }

  get active(): Server | undefined {
    return this.servers.find(({ id }) => id === this.instance.status.slots.active)
  }

  get next(): Server | undefined {
    return this.servers.find(({ id }) => id === this.instance.status.slots.next)
  }

  alter(server: Server, status: Partial<Server['status']>): void {
    this.servers = this.servers.map(each =>
      each.id === server.id ? { ...each, status: { ...each.status, ...status } } : each,
    )
  }

  view(): InstanceView {
    const { active, instance } = this
    const isOutdated = active && (active.spec.generation !== instance.generation || isRefused(active))
    const isNew = active?.spec.launch.sealed !== contentOf(instance)
    const isChanged = isNew || (active !== undefined && isRefused(active))
    return {
      instance,
      servers: this.servers,
      operations: this.operations,
      region: this.region,
      now: this.now,
      ...(isOutdated && { outdated: { effect: this.effect, isChanged, isNew } }),
      ...(this.lastUsed !== undefined && { lastUsed: this.lastUsed }),
    }
  }

  /** One decision, carried out. */
  step(): Decision {
    const decision = decide(this.view())
    const before = this.instance.status.phase
    this.instance = { ...this.instance, status: decision.status }
    for (const action of decision.actions) this.#perform(action)
    const { phase } = this.instance.status
    if (phase !== before) {
      if (advance(before, phase) !== phase) throw new Error(`${before} → ${phase} is not in the table`)
      this.phases.push(phase)
    }
    return decision
  }

  /** Decides until nothing is left to do, with servers that do as they are told in between. */
  settle({ serve = true } = {}): Decision {
    for (let round = 0; round < 50; round++) {
      const before = JSON.stringify([this.instance, this.servers, this.operations])
      const decision = this.step()
      if (this.isGone) return decision
      if (serve) this.serve()
      if (JSON.stringify([this.instance, this.servers, this.operations]) === before) return decision
    }
    throw new Error('it does not settle')
  }

  /** Servers do what their specs say. */
  serve(): void {
    this.servers = this.servers.flatMap(server => {
      if (server.deletedAt !== undefined) return []
      const { spec, status } = server
      if (status.lost || status.failure) return [server]
      const isOn = spec.power === 'on'
      const restart = spec.restart?.sequence ?? 0
      const rebuild = spec.rebuild?.sequence ?? 0
      const refused = this.#refusalOf(server)
      const launch = refused ? status.applied!.launch : spec.launch.sealed
      const wasAsked =
        status.applied?.power !== spec.power ||
        status.applied.restart < restart ||
        (!refused && status.applied.rebuild < rebuild)
      return [
        {
          ...server,
          status: {
            ...status,
            launch: 'sent' as const,
            backendId: status.backendId ?? `backend-${server.id}`,
            observed: !status.observed || wasAsked ? observed(isOn ? 'running' : 'stopped') : status.observed,
            applied: { launch, power: spec.power, restart, rebuild },
            ...(refused && { refused }),
          },
        },
      ]
    })
  }

  #refusalOf(server: Server): Refusal | undefined {
    if (isRefused(server)) return server.status.refused
    const { applied } = server.status
    if (!this.refuses || !applied || sameTarget(applied, wantedTarget(server))) return undefined
    return { ...wantedTarget(server), ...this.refuses, since: this.now }
  }

  #perform(action: Action): void {
    switch (action.type) {
      case 'create': {
        const id = `srv_${++this.#ids}`
        const { launch: _, ...fresh } = aServer().status
        const { backendId: _b, observed: _o, applied: _a, ...unmade } = fresh
        const spec = {
          power: action.power,
          generation: this.instance.generation,
          launch: { sealed: contentOf(this.instance), sizeBytes: 1 },
        }
        this.servers.push({ ...aServer({ id, spec }), status: { ...unmade, launch: 'unsent' } })
        const { status } = this.instance
        this.#status({ slots: { ...status.slots, [action.slot]: id }, ...(action.charge && { charged: id }) })
        return
      }
      case 'change': {
        const { power, restart, rebuild, follow, again } = action.change
        this.servers = this.servers.map(server => {
          if (server.id !== action.server.id) return server
          const { spec } = server
          const { generation } = this.instance
          const { refused: _, ...unrefused } = server.status
          return {
            ...server,
            status: again ? unrefused : server.status,
            spec: {
              ...spec,
              ...(power && { power }),
              ...(restart && { restart: { sequence: (spec.restart?.sequence ?? 0) + 1, ...restart } }),
              ...(rebuild && { rebuild: { sequence: (spec.rebuild?.sequence ?? 0) + 1 } }),
              ...(follow && { generation }),
              ...(follow === 'launch' && { launch: { sealed: contentOf(this.instance), sizeBytes: 1 } }),
            },
          }
        })
        return
      }
      case 'remove':
        this.servers = this.servers.map(each =>
          each.id === action.server.id ? { ...each, deletedAt: this.now } : each,
        )
        return
      case 'powerOff':
        this.instance = {
          ...this.instance,
          generation: this.instance.generation + 1,
          spec: { ...this.instance.spec, power: 'off' },
        }
        return
      case 'expire':
        this.ask('delete')
        return
      case 'begin':
        this.#begin(action.operation as OperationType)
        return
      case 'end':
        this.#end(action.operation, action.state)
        return
      case 'step':
        this.operations = this.operations.map(each =>
          each.id === action.operation.id
            ? {
                ...each,
                status: {
                  state: 'running',
                  steps: [
                    {
                      name: action.step,
                      state: 'running',
                      ...(action.message !== undefined && { message: action.message }),
                    },
                  ],
                },
              }
            : each,
        )
        return
      case 'tell':
        this.told.push(action.reason)
        return
      case 'forget':
        if (this.servers.length > 0) throw new Error('it was forgotten while something was there')
        for (const operation of this.operations) this.#end(operation, 'succeeded')
        this.isGone = true
        return
      case 'swap':
      case 'vacate':
      case 'settleCharge':
      case 'recharge':
        return
    }
  }

  #status(changes: Partial<Instance['status']>): void {
    this.instance = { ...this.instance, status: { ...this.instance.status, ...changes } }
  }

  #begin(type: OperationType): void {
    this.operations.push({
      ...{ kind: 'operation', id: `op_${++this.#ids}`, labels: {}, finalizers: [], createdAt: this.now },
      ...{ generation: 1, revision: 1, spec: { type, subject: { kind: 'instance', id: 'inst_1' } } },
      status: { state: 'pending', steps: operationSteps[type].map(name => ({ name, state: 'pending' })) },
    })
  }

  #end({ id, spec }: OpenOperation, state: OperationEnd): void {
    this.operations = this.operations.filter(each => each.id !== id)
    this.ended.push([spec.type, state])
  }
}

/** What is launched for an instance: all that it is but policies. */
const contentOf = ({ spec }: Instance): string => JSON.stringify(spec.source)

/** One that was made and runs. */
export function running(parts: InstanceParts = {}): Ideal {
  const ideal = new Ideal(parts)
  ideal.ask('create')
  ideal.settle()
  ideal.ended.length = 0
  ideal.phases.length = 0
  ideal.told.length = 0
  return ideal
}

export const soon: Duration = millis(1)
