import { pointsOf } from '@stead/engine/simulation'
import type { IdempotencyMode } from '@stead/provider-kit'
import { afterAll, expect, test, vi } from 'vitest'
import { skyOf } from '../../servers/simulation/run.ts'
import { nodeCrashes } from '../../simulation/index.ts'
import { keys, type Life, type Plan, type Step } from './plan.ts'
import { type InstancesOptions, runInstances } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 600_000 })

const later = 4_000
/** A machine that keeps its addresses. */
const keeping = (...steps: readonly Step[]): Plan => {
  const plan = life('machine', ...steps)
  return { ...plan, lives: plan.lives.map(each => ({ ...each, keeps: true })) }
}
const life = (source: Life['source'], ...steps: readonly Step[]): Plan => ({
  lives: [{ name: 'inst-0', tenant: 'tenant-0', source, steps: [{ type: 'create', after: 0 }, ...steps] }],
  limits: [],
})

const failing = 'fail to replace a machine that keeps its addresses, and try again'

/** Small enough to be broken at every single point. */
const scenarios: Readonly<Record<string, Plan>> = {
  create: life('services'),
  'create and delete': life('machine', { type: 'delete', after: later }),
  'stop and start': life(
    'services',
    { type: 'power', power: 'off', after: later },
    { type: 'power', power: 'on', after: later },
  ),
  'replace services': life('services', { type: 'change', image: 'debian-12', after: later }),
  'replace services, once it is told what that costs': life('services', {
    ...{ type: 'change', image: 'debian-12', asks: true, after: later },
  }),
  'suspend, unsuspend and restart': life(
    'services',
    { type: 'suspend', after: later },
    { type: 'power', power: 'off', after: 300 },
    { type: 'unsuspend', after: later },
    { type: 'power', power: 'on', after: later },
    { type: 'restart', after: later },
  ),
  'replace and delete at once': life(
    'services',
    { type: 'change', image: 'debian-12', after: later },
    { type: 'delete', after: 400 },
  ),
  'rotate a secret, and stop': life(
    'services',
    { type: 'rotate', version: 2, after: later },
    { type: 'power', power: 'off', after: 300 },
    { type: 'rotate', version: 3, after: later },
  ),
  'adopt, at the limit': {
    lives: [
      { name: 'inst-0', tenant: 'tenant-0', source: 'machine', steps: [{ type: 'adopt', rival: false, after: 0 }] },
    ],
    limits: [{ after: 0, place: 'tenant-0', limits: { instances: 1 } }],
  },
  'replace a machine that keeps its addresses': keeping({ type: 'change', key: keys[0]!, after: later }),
  [failing]: keeping({ type: 'change', key: keys[0]!, after: later }),
  'keep addresses, and replace at once': life(
    'machine',
    { type: 'keep', keep: true, after: later },
    { type: 'change', key: keys[0]!, after: 0 },
  ),
  'resize and rebuild a machine': life(
    'machine',
    { type: 'change', flavor: 'large', after: later },
    { type: 'change', image: 'debian-12', after: 8_000 },
  ),
}

/** The second boot is that of the successor. */
const prepareFor = (name: string): Pick<InstancesOptions, 'prepare'> =>
  name === failing ? { prepare: cloud => cloud.script('bootFailure', { nth: 2 }) } : {}

/** How a launch happens once makes a difference where something is launched; the others are tried in one way. */
const isInEveryMode = new Set(['create', 'replace services'])
const cases = Object.keys(scenarios).flatMap(name => {
  const modes: readonly IdempotencyMode[] = isInEveryMode.has(name) ? ['token', 'name', 'search'] : ['token']
  return modes.map(mode => ({ name, mode }))
})

let runs = 0

test.each(cases)(
  '$name, by $mode: a crash at every commit and every call leads to the same end',
  async ({ name, mode }) => {
    const plan = scenarios[name]!
    const about = { seed: 1, nodes: 1, plan, ...prepareFor(name), ...(mode !== 'token' && { sky: skyOf(mode) }) }
    const undisturbed = await runInstances(about)
    expect(undisturbed.violation).toBeUndefined()
    const points = pointsOf(undisturbed.faults, nodeCrashes)
    expect(points.length).toBeGreaterThan(10)
    for (const point of points) {
      const { violation, endState, faults } = await runInstances({ ...about, script: [point] })
      expect(violation, `${point.name}/${point.at}`).toBeUndefined()
      expect(endState, `${point.name}/${point.at}`).toBe(undisturbed.endState)
      expect(faults[point.name].hits).toBe(1)
      runs++
    }
  },
)

afterAll(() => console.log(`${runs} crash points, each alone, in ${cases.length} scenarios`))
