import type { FaultName } from '@stead/provider-kit/simulated'
import { type Duration, seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { modes, planNames, plans } from './plans.ts'
import { likeUndisturbed, run } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** Late enough that whoever sent it has sent it again by then, and earlier than the cloud says is possible. */
const late = seconds(4)

/** What can go wrong with one call, and how badly. */
const faults = [
  { fault: 'errorBefore' },
  { fault: 'lostReply' },
  { fault: 'lateEffect', by: late },
  { fault: 'slow' },
  { fault: 'throttled' },
  { fault: 'staleDescribe' },
  { fault: 'staleList' },
] as const satisfies { fault: FaultName; by?: Duration }[]

const each = modes.flatMap(mode => faults.map(script => ({ mode, ...script })))

test.each(each)('$fault at every call, where things are made once by $mode', async ({ mode, ...script }) => {
  let struck = 0
  for (const name of planNames) {
    const plan = plans[name]
    for (let nth = 1; ; nth++) {
      const sky = { mode, scripts: [{ ...script, nth }] }
      const disturbed = await run({ seed: 0, nodes: 1, plan, sky })
      const { violation } = await likeUndisturbed(disturbed, { plan, sky })
      expect(violation, `${name}: ${script.fault} at ${nth}`).toBeUndefined()
      if (isBeyond(disturbed, script.fault, nth)) break
      struck += disturbed.struck[script.fault]
    }
  }
  // Nothing is searched for by tags when all answers arrive: a list that is old strikes only beside other faults.
  if (script.fault !== 'staleList') expect(struck).toBeGreaterThan(10)
})

/** An old picture strikes only where it differs, so for those all calls are gone through. */
const isBeyond = ({ struck, calls }: Awaited<ReturnType<typeof run>>, fault: FaultName, nth: number): boolean =>
  fault === 'staleDescribe' || fault === 'staleList' ? nth > calls : struck[fault] === 0

test('nothing answers for a while, at any moment', async () => {
  for (const mode of modes)
    for (const name of planNames)
      for (let at = 1; at <= 6; at++) {
        const plan = plans[name]
        const sky = { mode }
        const disturbed = await run({ seed: 0, nodes: 1, plan, sky, script: [{ name: 'outside-outage', at }] })
        const { violation } = await likeUndisturbed(disturbed, { plan, sky })
        expect(violation, `${name}: outage at ${at}`).toBeUndefined()
      }
})
