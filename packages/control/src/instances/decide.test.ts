import { minutes, seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { decide, type InstanceView } from './decide.ts'
import { Ideal, running } from './tests/ideal.ts'
import { machineSpec, now, observed, servicesSpec, web } from './tests/samples.ts'

const failure = { code: 'InvalidConfig', message: 'no such flavor', retrying: false, since: now } as const
const agreed = (generation: number, effect: 'rebuild' | 'replace') => ({
  change: { generation, effect, amounts: { instances: 1 } },
})

describe('from nothing to running', () => {
  test('goes through the phases, ends its operation and is ready', () => {
    const ideal = new Ideal()
    ideal.ask('create')
    ideal.settle()
    expect(ideal.phases).toEqual(['provisioning', 'running'])
    expect(ideal.ended).toEqual([['create', 'succeeded']])
    expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 1, power: 'on', operation: null })
    expect(ideal.servers).toHaveLength(1)
  })

  test('with power off ends stopped, and is not ready', () => {
    const ideal = new Ideal({ spec: { power: 'off' } })
    ideal.ask('create')
    ideal.settle()
    expect(ideal.phases).toEqual(['provisioning', 'stopped'])
    expect(ideal.ended).toEqual([['create', 'succeeded']])
    expect(ideal.instance.status.ready).toBe(false)
  })

  test('waits where its region takes nothing new, and says so', () => {
    const ideal = new Ideal()
    ideal.region = 'closed'
    ideal.ask('create')
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'pending', conditions: [{ reason: 'RegionClosed' }] })
    expect(ideal.servers).toEqual([])
    ideal.region = 'open'
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', conditions: [] })
  })

  test('that is refused for good has failed, and is tried anew when somebody asks or it is changed', () => {
    for (const help of [
      () => ({ status: { retry: true } }),
      () => ({ spec: servicesSpec({ web: { ...web, image: 'b' } }) }),
    ]) {
      const ideal = new Ideal()
      ideal.ask('create')
      ideal.step()
      ideal.alter(ideal.active!, { failure })
      ideal.settle()
      expect(ideal.instance.status).toMatchObject({ phase: 'failed', conditions: [{ reason: 'InvalidConfig' }] })
      expect(ideal.ended).toEqual([['create', 'failed']])
      ideal.ask('start', help())
      ideal.settle()
      expect(ideal.instance.status).toMatchObject({
        phase: 'running',
        conditions: [],
        slots: { active: expect.not.stringMatching(/^srv_2$/) },
      })
      expect(ideal.ended).toEqual([
        ['create', 'failed'],
        ['start', 'succeeded'],
      ])
    }
  })

  test('that is refused for good is not tried anew by a stop, which has nothing to do', () => {
    const ideal = new Ideal()
    ideal.ask('create')
    ideal.step()
    ideal.alter(ideal.active!, { failure })
    ideal.settle()
    const before = ideal.active!.id
    ideal.ask('stop', { spec: { power: 'off' } })
    ideal.settle()
    expect(ideal.ended.at(-1)).toEqual(['stop', 'succeeded'])
    expect(ideal.active!.id).toBe(before)
    expect(ideal.instance.status).toMatchObject({ phase: 'failed', conditions: [{ reason: 'InvalidConfig' }] })
  })

  test('that is tried again goes on, and says what is in the way', () => {
    const ideal = new Ideal()
    ideal.ask('create')
    ideal.step()
    ideal.alter(ideal.active!, { failure: { ...failure, code: 'Capacity', retrying: true } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'provisioning', conditions: [{ reason: 'Capacity' }] })
    expect(ideal.operations[0]!.status.steps[0]).toMatchObject({ message: 'no such flavor' })
    expect(ideal.ended).toEqual([])
  })

  test('that takes its region a while says how far that is', () => {
    const ideal = new Ideal()
    ideal.ask('create')
    ideal.step()
    for (const stateReason of ['pulling a: 0 of 3 layers', 'pulling a: 1 of 3 layers']) {
      ideal.alter(ideal.active!, { backendId: 'x', observed: observed('pending', { stateReason }) })
      ideal.step()
      const step = ideal.operations[0]!.status.steps.find(({ state }) => state === 'running')
      expect(step?.message).toBe(stateReason)
    }
    ideal.alter(ideal.active!, { observed: observed('running') })
    ideal.settle()
    expect(ideal.ended).toEqual([['create', 'succeeded']])
  })
})

test('nothing is written for what has settled', () => {
  const ideal = running()
  const { actions, status, again } = ideal.step()
  expect(actions).toEqual([])
  expect(status).toEqual(ideal.instance.status)
  expect(again).toBeUndefined()
})

describe('power', () => {
  test('follows what is wanted, and the newer of two wishes is meant', () => {
    const ideal = running()
    ideal.ask('stop', { spec: { power: 'off' } })
    ideal.step()
    expect(ideal.active!.spec.power).toBe('off')
    ideal.ask('start', { spec: { power: 'on' } })
    ideal.settle()
    expect(ideal.ended).toEqual([
      ['stop', 'superseded'],
      ['start', 'succeeded'],
    ])
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true })
  })

  test('of who is suspended is off, and comes back to what was wanted', () => {
    const ideal = running()
    ideal.ask('suspend', { status: { suspended: { since: now, reason: 'unpaid' } } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'stopped', power: 'off' })
    expect(ideal.instance.spec.power).not.toBe('off')
    ideal.ask('unsuspend', { status: { suspended: null } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true })
    expect(ideal.ended).toEqual([
      ['suspend', 'succeeded'],
      ['unsuspend', 'succeeded'],
    ])
  })

  test('is restarted once for each time that is asked for', () => {
    const ideal = running()
    ideal.ask('restart', { status: { restart: { hard: true } } })
    ideal.step()
    expect(ideal.instance.status.phase).toBe('starting')
    ideal.settle()
    ideal.settle()
    expect(ideal.active!.spec.restart).toEqual({ sequence: 1, hard: true })
    expect(ideal.phases).toEqual(['starting', 'running'])
    expect(ideal.ended).toEqual([['restart', 'succeeded']])
  })

  test('that came on by itself is told, and set right only for who wants that', () => {
    for (const [drift, sequence] of [
      ['report', undefined],
      ['repair', 1],
    ] as const) {
      const ideal = running({ spec: { power: 'off', drift } })
      ideal.alter(ideal.active!, { observed: observed('running') })
      ideal.step()
      expect(ideal.instance.status.conditions).toMatchObject([{ type: 'Drift' }])
      expect(ideal.active!.spec.restart?.sequence).toBe(sequence)
    }
  })
})

describe('what died', () => {
  const die = (ideal: Ideal) => {
    ideal.alter(ideal.active!, { observed: observed('stopped', { stateReason: 'kernel panic', services: {} }) })
    ideal.step()
  }

  test('is restarted, at once the first time and later each time after', () => {
    const ideal = running()
    for (const [deaths, wait] of [
      [1, 0],
      [2, 10],
      [3, 20],
      [4, 40],
    ] as const) {
      die(ideal)
      expect(ideal.instance.status.crashes!.count).toBe(deaths)
      if (wait > 0) {
        expect(ideal.active!.spec.restart!.sequence).toBe(deaths - 1)
        ideal.pass(seconds(wait - 1))
        expect(ideal.step().again!.after).toBeLessThanOrEqual(1_000)
        ideal.pass(seconds(1))
        ideal.step()
      }
      expect(ideal.active!.spec.restart!.sequence).toBe(deaths)
      ideal.settle()
      expect(ideal.instance.status.phase).toBe('running')
    }
    expect(ideal.phases).toContain('failed')
    ideal.pass(minutes(11))
    die(ideal)
    expect(ideal.instance.status.crashes!.count).toBe(1)
  })

  test('stays down where that is wanted, until somebody starts it', () => {
    const ideal = running({ spec: { onCrash: 'stop' } })
    die(ideal)
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'stopped', conditions: [{ reason: 'Crashed' }] })
    ideal.ask('start', { status: { restart: { hard: false } } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', conditions: [] })
  })

  test('having done its work has stopped, and is left so', () => {
    const spec = servicesSpec({ web: { ...web, restart: 'never' } })
    for (const [exitCode, phase] of [
      [0, 'stopped'],
      [3, 'failed'],
    ] as const) {
      const ideal = running({ spec })
      const services = { web: { state: 'exited', ready: false, restarts: 0, exitCode } } as const
      ideal.alter(ideal.active!, { observed: observed('stopped', { services }) })
      ideal.settle()
      expect(ideal.instance.status.phase).toBe(phase)
      expect(ideal.active!.spec.restart).toBeUndefined()
    }
  })
})

describe('what is gone', () => {
  const lost = { at: now, reason: 'terminated' }

  test('is not made anew unless that is wanted', () => {
    const ideal = running()
    ideal.alter(ideal.active!, { lost })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({
      phase: 'failed',
      power: 'unknown',
      conditions: [{ reason: 'ServerLost' }],
    })
    expect(ideal.servers).toHaveLength(1)
  })

  test('is made anew for who wants it, once what is left of it is gone', () => {
    const ideal = running({ spec: { onServerLoss: 'recreate' } })
    ideal.alter(ideal.active!, { lost })
    ideal.step()
    expect(ideal.servers.map(({ deletedAt }) => deletedAt !== undefined)).toEqual([true])
    ideal.settle()
    expect(ideal.ended).toEqual([['recreate', 'succeeded']])
    expect(ideal.servers.map(({ id }) => id)).toEqual([ideal.instance.status.slots.active])
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true })
  })
})

describe('a change', () => {
  test('in place or by a restart is passed on to the server there is', () => {
    const ideal = running()
    ideal.effect = 'restart'
    ideal.ask('update', { spec: servicesSpec({ web: { ...web, env: { A: '1' } } }) })
    ideal.settle()
    expect(ideal.ended).toEqual([['update', 'succeeded']])
    expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 2 })
    expect(ideal.servers).toHaveLength(1)
  })

  test('that would destroy something is not made unless it was agreed to for just this generation', () => {
    for (const effect of ['rebuild', 'replace'] as const)
      for (const status of [{}, agreed(1, 'replace'), ...(effect === 'replace' ? [agreed(2, 'rebuild')] : [])]) {
        const ideal = running()
        ideal.effect = effect
        ideal.ask('update', { spec: servicesSpec({ web: { ...web, image: 'b' } }), status })
        ideal.settle()
        expect(ideal.instance.status).toMatchObject({ observedGeneration: 1, conditions: [{ reason: 'NotAgreed' }] })
        expect(ideal.servers).toHaveLength(1)
        expect(ideal.active!.spec.rebuild).toBeUndefined()
        expect(ideal.ended).toEqual([['update', 'failed']])
      }
  })

  test('that is refused has failed, and what runs goes on as it was', () => {
    for (const [type, effect] of [
      ['update', 'restart'],
      ['rebuild', 'rebuild'],
    ] as const) {
      const ideal = running({ spec: machineSpec() })
      ideal.effect = effect
      ideal.refuses = { code: 'InvalidConfig', message: 'no such thing' }
      ideal.ask(type, { spec: machineSpec({ image: 'b' }), ...(effect === 'rebuild' && { status: agreed(2, effect) }) })
      ideal.settle()
      expect(ideal.ended).toEqual([[type, 'failed']])
      const trouble = [{ type: 'Trouble', reason: 'InvalidConfig', message: 'no such thing' }]
      expect(ideal.instance.status).toMatchObject({
        ...{ phase: 'running', power: 'on', ready: false, observedGeneration: 1, conditions: trouble },
      })
      ideal.alter(ideal.active!, { observed: observed('stopped') })
      ideal.settle()
      expect(ideal.told).toContain('Crashed')
      ideal.ask('stop', { spec: { power: 'off' } })
      ideal.settle()
      expect(ideal.ended.at(-1)).toEqual(['stop', 'succeeded'])
      expect(ideal.instance.status).toMatchObject({ phase: 'stopped', conditions: trouble })
      ideal.effect = 'inPlace'
      ideal.ask('update', { spec: machineSpec() })
      ideal.settle()
      expect(ideal.ended.at(-1)).toEqual(['update', 'succeeded'])
      expect(ideal.instance.status).toMatchObject({ observedGeneration: 4, conditions: [] })
    }
  })

  test('that was refused is tried once more when somebody asks, and not before', () => {
    const ideal = running({ spec: machineSpec() })
    ideal.effect = 'restart'
    ideal.refuses = { code: 'InvalidConfig', message: 'no such thing' }
    ideal.ask('update', { spec: machineSpec({ flavor: 'huge' }) })
    ideal.settle()
    ideal.refuses = undefined
    expect(ideal.settle().actions).toEqual([])
    ideal.ask('update', { status: { retry: true } })
    ideal.settle()
    expect(ideal.ended).toEqual([
      ['update', 'failed'],
      ['update', 'succeeded'],
    ])
    expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 2, conditions: [] })
  })

  test('by a new disk is made once', () => {
    const ideal = running({ spec: machineSpec() })
    ideal.effect = 'rebuild'
    ideal.ask('rebuild', { spec: machineSpec({ image: 'b' }), status: agreed(2, 'rebuild') })
    ideal.settle()
    ideal.settle()
    expect(ideal.active!.spec.rebuild).toEqual({ sequence: 1 })
    expect(ideal.ended).toEqual([['rebuild', 'succeeded']])
    expect(ideal.instance.status.change).toBeUndefined()
  })
})

describe('a replacement', () => {
  const replacing = (spec = servicesSpec({ web: { ...web, image: 'b' } }), before = servicesSpec()) => {
    const ideal = running({ spec: before })
    ideal.effect = 'replace'
    ideal.ask('replace', { spec, status: agreed(2, 'replace') })
    return ideal
  }

  test('of services lets the old one serve until the new one can', () => {
    const ideal = replacing()
    const old = ideal.active!.id
    ideal.step()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: false, replacement: { way: 'overlap' } })
    expect(ideal.next!.spec).toMatchObject({ power: 'on', generation: 2 })
    expect(ideal.active!.spec.power).toBe('on')
    expect(ideal.instance.status.charged).toBe(ideal.next!.id)
    const next = ideal.next!.id
    ideal.serve()
    ideal.step()
    expect(ideal.active!.id).toBe(next)
    expect(ideal.servers.find(({ id }) => id === old)!.deletedAt).toBeDefined()
    ideal.settle()
    expect(ideal.ended).toEqual([['replace', 'succeeded']])
    expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 2, slots: { active: next } })
    expect(ideal.instance.status.charged).toBeUndefined()
    expect(ideal.servers).toHaveLength(1)
  })

  test('of a machine stops the old one first, and keeps it until the new one runs', () => {
    const ideal = replacing(machineSpec({ flavor: 'large' }), machineSpec())
    ideal.step()
    expect(ideal.active!.spec.power).toBe('off')
    expect(ideal.next).toBeUndefined()
    ideal.serve()
    ideal.step()
    expect(ideal.next).toBeDefined()
    ideal.step()
    expect(ideal.instance.status.phase).toBe('provisioning')
    expect(ideal.servers.every(({ deletedAt }) => deletedAt === undefined)).toBe(true)
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true, observedGeneration: 2 })
    expect(ideal.servers).toHaveLength(1)
  })

  test('that fails leaves the old one as it was, is not tried again by itself, and lets power be', () => {
    for (const spec of [servicesSpec({ web: { ...web, image: 'b' } }), machineSpec({ flavor: 'large' })]) {
      const ideal = replacing(spec, spec.source.machine ? machineSpec() : servicesSpec())
      const old = ideal.active!.id
      for (let n = 0; n < 5 && !ideal.next; n++) {
        ideal.step()
        if (!ideal.next) ideal.serve()
      }
      ideal.alter(ideal.next!, { failure })
      ideal.settle()
      expect(ideal.servers.map(({ id }) => id)).toEqual([old])
      expect(ideal.active!.spec.power).toBe('on')
      expect(ideal.ended).toEqual([['replace', 'failed']])
      expect(ideal.instance.status).toMatchObject({
        phase: 'running',
        ready: false,
        observedGeneration: 1,
        conditions: [{ reason: 'ReplacementFailed' }],
        change: { failed: true },
      })
      expect(ideal.instance.status.charged).toBeUndefined()
      ideal.ask('stop', { spec: { power: 'off' } })
      ideal.settle()
      expect(ideal.ended.at(-1)).toEqual(['stop', 'succeeded'])
      ideal.ask('replace', { spec: { power: 'on' }, status: agreed(4, 'replace') })
      ideal.settle()
      expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 4 })
    }
  })

  test('of what is lost before it has begun is made anew as what was agreed to, and charged for that', () => {
    const ideal = replacing(servicesSpec({ web: { ...web, image: 'b' } }), servicesSpec())
    ideal.instance = { ...ideal.instance, spec: { ...ideal.instance.spec, onServerLoss: 'recreate' } }
    ideal.alter(ideal.active!, { lost: { at: now, reason: 'terminated' } })
    ideal.step()
    ideal.serve()
    const overQuota = decide({ ...ideal.view(), overQuota: 'no room' })
    expect(overQuota.actions.map(({ type }) => type)).not.toContain('create')
    expect(overQuota.status).toMatchObject({ conditions: [{ reason: 'QuotaExceeded', message: 'no room' }] })
    expect(overQuota.again).toBeDefined()
    expect(ideal.step().actions).toContainEqual({ type: 'recharge', amounts: { instances: 1 } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ ready: true, observedGeneration: 2 })
    expect(ideal.instance.status.change).toBeUndefined()
  })

  test('goes on with the new server when the old one is lost before its time', () => {
    const ideal = replacing()
    ideal.step()
    const next = ideal.next!.id
    ideal.alter(ideal.active!, { lost: { at: now, reason: 'terminated' } })
    ideal.settle()
    expect(ideal.ended).toEqual([['replace', 'succeeded']])
    expect(ideal.instance.status).toMatchObject({ ready: true, slots: { active: next } })
    expect(ideal.servers.map(({ id }) => id)).toEqual([next])
  })

  test('whose new server does not get ready in time is given up', () => {
    const ideal = replacing()
    ideal.step()
    const { again } = ideal.step()
    expect(again!.after).toBeLessThanOrEqual(minutes(15))
    ideal.pass(minutes(15))
    ideal.settle()
    expect(ideal.ended).toEqual([['replace', 'failed']])
    expect(ideal.servers).toHaveLength(1)
  })

  test('does not begin where it cannot be seen what is there', () => {
    const ideal = replacing()
    ideal.alter(ideal.active!, { observed: observed('unknown') })
    ideal.settle({ serve: false })
    expect(ideal.servers).toHaveLength(1)
    expect(ideal.instance.status.replacement).toBeUndefined()
  })

  test('gives way to a delete at any time', () => {
    for (let steps = 0; steps < 6; steps++) {
      const ideal = replacing(machineSpec({ flavor: 'large' }), machineSpec())
      for (let n = 0; n < steps; n++) {
        ideal.step()
        ideal.serve()
      }
      ideal.ask('delete')
      ideal.settle()
      expect(ideal.isGone).toBe(true)
      expect(ideal.servers).toEqual([])
      expect(ideal.ended.at(-1)).toEqual(['delete', 'succeeded'])
    }
  })
})

describe('by itself', () => {
  test('it is deleted when its time is over, and not a moment before', () => {
    const ideal = running({ spec: { ttl: '2h' } })
    expect(ideal.step().again!.after).toBe(minutes(120))
    ideal.pass(minutes(120))
    ideal.settle()
    expect(ideal.isGone).toBe(true)
    expect(ideal.told).toContain('Expired')
  })

  test('what is protected outlives its time, and says so', () => {
    const ideal = running({ spec: { ttl: '2h', deletionProtection: true } })
    ideal.pass(minutes(120))
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', conditions: [{ reason: 'Protected' }] })
    expect(ideal.instance.deletedAt).toBeUndefined()
  })

  test('it is stopped when nobody used it for long enough', () => {
    const ideal = running({ spec: { idleStop: '15m' } })
    ideal.pass(minutes(10))
    ideal.lastUsed = ideal.now
    ideal.pass(minutes(10))
    expect(ideal.settle().again!.after).toBe(minutes(5))
    ideal.pass(minutes(5))
    ideal.settle()
    expect(ideal.instance).toMatchObject({ spec: { power: 'off' }, status: { phase: 'stopped' } })
    expect(ideal.ended).toEqual([['stop', 'succeeded']])
  })

  test('it says so when it takes too long', () => {
    const ideal = new Ideal()
    ideal.ask('create')
    ideal.step()
    const { again } = ideal.step()
    expect(again!.after).toBe(minutes(15))
    ideal.pass(minutes(15))
    ideal.step()
    expect(ideal.instance.status.conditions).toMatchObject([{ type: 'Stuck' }])
    expect(ideal.told).toContain('Stuck')
    expect(ideal.settle().again).toBeUndefined()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', conditions: [] })
  })
})

test('what is paused is only looked at, and still deleted', () => {
  const ideal = running()
  ideal.ask('update', { spec: { paused: true, power: 'off' } })
  ideal.alter(ideal.active!, { observed: observed('stopped', { services: {} }) })
  ideal.settle()
  expect(ideal.active!.spec.power).toBe('on')
  expect(ideal.instance.status).toMatchObject({ phase: 'stopped', conditions: [{ reason: 'Paused' }] })
  ideal.ask('delete')
  ideal.settle()
  expect(ideal.isGone).toBe(true)
})

test('the same region in maintenance is left alone', () => {
  const ideal = running()
  ideal.region = 'still'
  ideal.ask('stop', { spec: { power: 'off' } })
  ideal.settle()
  expect(ideal.active!.spec.power).toBe('on')
  expect(ideal.instance.status.conditions).toMatchObject([{ reason: 'RegionInMaintenance' }])
  ideal.region = 'open'
  ideal.settle()
  expect(ideal.ended).toEqual([['stop', 'succeeded']])
})

describe('while the store only observes', () => {
  const observing = (...parts: Parameters<typeof running>) => {
    const ideal = running(...parts)
    ideal.region = 'observing'
    return ideal
  }

  test('what is gone or other than it was made is told, and waits', () => {
    const gone = observing({ spec: { onServerLoss: 'recreate' } })
    gone.alter(gone.active!, { lost: { at: now, reason: 'terminated' } })
    const stopped = observing()
    stopped.alter(stopped.active!, { observed: observed('stopped', { services: {} }) })
    for (const ideal of [gone, stopped]) ideal.settle()
    expect(gone.instance.status).toMatchObject({ phase: 'failed', conditions: [{ reason: 'ServerLost' }] })
    expect(stopped.instance.status).toMatchObject({
      phase: 'stopped',
      conditions: [{ type: 'Drift', message: 'it is off, and should run' }],
    })
    expect(stopped.active!.spec.restart).toBeUndefined()
    for (const ideal of [gone, stopped]) {
      ideal.region = 'open'
      ideal.settle()
      expect(ideal.instance.status).toMatchObject({ phase: 'running', conditions: [] })
    }
  })

  test('nothing expires and nothing is deleted before it is resumed', () => {
    const old = observing({ spec: { ttl: '2h' } })
    old.pass(minutes(180))
    const deleted = observing()
    deleted.ask('delete')
    for (const ideal of [old, deleted]) {
      ideal.settle()
      expect(ideal.servers).toMatchObject([{ spec: { power: 'on' } }])
      expect(ideal.active!.deletedAt).toBeUndefined()
    }
    expect(old.instance.deletedAt).toBeUndefined()
    expect(deleted.instance.status.phase).toBe('destroying')
    for (const ideal of [old, deleted]) {
      ideal.region = 'open'
      ideal.settle()
      expect(ideal.isGone).toBe(true)
    }
  })
})

describe('newer versions of secrets', () => {
  const outdated = { effect: 'restart', isChanged: true, isNew: true } as const
  const decided = (view: Partial<InstanceView>) => {
    const { actions, status } = decide({ ...running().view(), ...view })
    const told = actions.flatMap(action => (action.type === 'tell' ? [action.reason] : []))
    const followed = actions.flatMap(action => (action.type === 'change' ? [action.change.follow] : []))
    return { told, followed, conditions: (status.conditions ?? []).map(({ type }) => type) }
  }

  test('are given to what asked for them, told once, and no longer missed', () =>
    expect(decided({ outdated, secrets: { rotated: ['db'], stale: [] } })).toEqual({
      ...{ told: ['SecretsRotated'], followed: ['launch'], conditions: [] },
    }))

  test('are only told of where nobody asked, and where nothing is done', () => {
    const missed = { told: [], followed: [], conditions: ['SecretsOutdated'] }
    expect(decided({ secrets: { rotated: [], stale: ['db'] } })).toEqual(missed)
    const held = decided({ outdated, secrets: { rotated: ['db'], stale: [] }, region: 'still' })
    expect(held).toMatchObject({ followed: [], conditions: ['Trouble', 'SecretsOutdated'] })
  })

  test('replace nothing that nobody agreed to', () => {
    const lost = decided({ outdated: { ...outdated, effect: 'replace' }, secrets: { rotated: ['db'], stale: [] } })
    expect(lost).toMatchObject({ told: [], followed: [], conditions: ['Trouble', 'SecretsOutdated'] })
  })
})
