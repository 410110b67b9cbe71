import { describeWith } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Chaos } from './chaos.ts'

/** A minute; `STEAD_CHAOS_SECONDS=3600` for an hour. */
const duration = Number(process.env.STEAD_CHAOS_SECONDS ?? 60) * 1_000
const gadgets = Math.max(1_000, Math.round(duration / 60))

describeWith('embedded postgresql', 'three nodes on one PostgreSQL', () => {
  test(
    'while it restarts and they are killed and stalled, nothing is lost and nothing is doubled outside',
    async () => {
      const chaos = await Chaos.start({ nodes: 3, gadgets, widgetsEach: 4, duration })
      onTestFinished(() => chaos.abandon())
      await chaos.run()
      expect(await chaos.settle(120_000), chaos.complaints()).toEqual([])
      expect(await chaos.violations()).toEqual([])
      const { objects, refusedCommits, outsideCalls } = chaos
      console.log('chaos:', { ...chaos.done, refusedCommits, objects, ...pick(outsideCalls) })
      for (const count of Object.values(chaos.done)) expect(count).toBeGreaterThan(0)
      expect(await chaos.stop()).toEqual([0, 0, 0])
    },
    duration + 240_000,
  )
})

const pick = ({ calls, lostReplies }: { calls: number; lostReplies: number }) => ({ calls, lostReplies })
