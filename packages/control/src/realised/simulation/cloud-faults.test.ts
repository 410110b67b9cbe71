import type { IdempotencyMode } from '@stead/provider-kit'
import type { FaultName } from '@stead/provider-kit/simulated'
import { type Duration, seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { outageFaults, outageKinds } from './cloud.ts'
import { modes, planNames, plans } from './plans.ts'
import { likeUndisturbed, run } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** Late enough that whoever sent it has sent it again by then, and earlier than the cloud says is possible. */
const late = seconds(4)

/** What can go wrong with one call, and where things are made in which way that matters. Lists are old beside late effects. */
const faults = [
  { fault: 'errorBefore', where: modes },
  { fault: 'lostReply', where: modes },
  { fault: 'lateEffect', where: modes, by: late, rates: { staleList: 1 } },
  { fault: 'slow', where: modes },
  { fault: 'throttled', where: modes },
  { fault: 'staleDescribe', where: modes },
] as const satisfies readonly {
  fault: FaultName
  where: readonly IdempotencyMode[]
  by?: Duration
  rates?: Partial<Record<FaultName, number>>
}[]

const each = faults.flatMap(({ where, ...fault }) => where.map(mode => ({ mode, ...fault })))

test.each(each)('$fault at every call, where things are made once by $mode', async each => {
  const { mode, fault } = each
  let struck = 0
  for (const name of planNames) {
    const plan = plans[name]
    for (let nth = 1; ; nth++) {
      const by = 'by' in each ? { by: each.by } : {}
      const sky = { mode, scripts: [{ fault, nth, ...by }], ...('rates' in each && { rates: each.rates }) }
      const disturbed = await run({ seed: 0, nodes: 1, plan, sky })
      const { violation } = await likeUndisturbed(disturbed, { plan, sky })
      expect(violation, `${name}: ${fault} at ${nth}`).toBeUndefined()
      struck += disturbed.struck[fault]
      // An old picture strikes only where it differs from the present: for that all calls are gone through.
      if (fault === 'staleDescribe' ? nth > disturbed.calls : disturbed.struck[fault] === 0) break
    }
  }
  expect(struck).toBeGreaterThan(10)
})

test.each(outageFaults)('%s at any moment', async outage => {
  let struck = 0
  for (const mode of modes)
    for (const name of planNames)
      for (let at = 1; at <= 6; at++) {
        const plan = plans[name]
        const sky = { mode }
        const disturbed = await run({ seed: 0, nodes: 1, plan, sky, script: [{ name: outage, at }] })
        const { violation } = await likeUndisturbed(disturbed, { plan, sky })
        expect(violation, `${name}: ${outage} at ${at}`).toBeUndefined()
        struck += outageKinds.reduce((sum, kind) => sum + disturbed.struck[kind], 0)
      }
  expect(struck).toBeGreaterThan(10)
})
