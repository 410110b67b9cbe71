import { millis, minutes } from '@stead/world'
import { expect, test, vi } from 'vitest'
import type { ControlStage } from '../../simulation/index.ts'
import { type Server, servers } from '../model.ts'
import { Orphan, removedAfter, sweepCap } from '../orphans/model.ts'
import { known, liveIn } from './end-state.ts'
import { toldIn, until } from './operator.ts'
import type { Plan } from './plan.ts'
import { runServers } from './run.ts'
import { scenarios } from './scenarios.ts'
import { giveUp, leaveStray } from './strays.ts'
import { copyTag } from './watchman.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 120_000 })

const base = { seed: 1, nodes: 1, plan: scenarios.create } as const

const orphansIn = ({ ledger }: ControlStage) => known<Orphan>(ledger, Orphan.kind)

test('a copy that somebody made of a server stays when the server is deleted, however long it was seen', async () => {
  const plan: Plan = [
    {
      id: 'box_1',
      steps: [
        { type: 'create', after: 0 },
        { type: 'delete', after: removedAfter + minutes(1) },
      ],
    },
  ]
  let isCopied = false
  const { violation, endState } = await runServers({
    ...base,
    plan,
    remain: 1,
    meanwhile(stage) {
      const [server] = known<Server>(stage.ledger, servers)
      if (isCopied || server?.status.observed?.state !== 'running') return
      leaveStray(stage, server.id, { [copyTag]: 'somebody' })
      isCopied = true
    },
    async afterwards(stage) {
      await stage.world.sleep(millis(removedAfter + minutes(1)))
      expect(toldIn(stage)).toMatchObject([
        { level: 'warning', reason: 'OrphanFound', message: expect.stringContaining('which has another') },
      ])
    },
  })
  expect(violation).toBeUndefined()
  expect(JSON.parse(endState)).toMatchObject({ live: 1, servers: 0, orphans: 1 })
})

test('what comes to light of a server that was given up without ever being seen is removed', async () => {
  const { violation, endState } = await runServers({
    ...base,
    mayEnd: ['srv_late'],
    async afterwards(stage) {
      await giveUp(stage, ['srv_late'])
      leaveStray(stage, 'srv_late')
      await until(stage, 'it is reported', () => orphansIn(stage).length === 1)
      const [{ backendId }] = orphansIn(stage).map(({ spec }) => spec) as [Orphan['spec']]
      await until(stage, 'it is gone', () => liveIn(stage.cloud).length === 1)
      await until(stage, 'that is told', () => toldIn(stage).length > 1)
      expect(toldIn(stage)).toEqual([
        {
          level: 'warning',
          reason: 'OrphanFound',
          message: `${backendId} carries our tags and is of server srv_late, which is not known here: it waits for an operator`,
        },
        { level: 'info', reason: 'OrphanRemoved', message: `${backendId} of server srv_late was removed` },
      ])
    },
  })
  expect(violation).toBeUndefined()
  expect(JSON.parse(endState)).toMatchObject({ live: 1, servers: 1, orphans: 0 })
})

test('too many that could be removed at once stay, and that is told once', async () => {
  const many = Array.from({ length: sweepCap + 1 }, (_, index) => `srv_late_${index}`)
  const { violation, endState } = await runServers({
    ...base,
    remain: many.length,
    async afterwards(stage) {
      await giveUp(stage, many)
      for (const id of many) leaveStray(stage, id)
      await until(stage, 'all are reported', () => orphansIn(stage).length === many.length)
      await until(stage, 'that is told', () => toldIn(stage).length > many.length)
      await stage.world.sleep(minutes(1))
      const told = toldIn(stage)
      expect(told.slice(0, many.length).every(({ reason }) => reason === 'OrphanFound')).toBe(true)
      expect(told.slice(many.length)).toEqual([
        {
          level: 'warning',
          reason: 'TooManyOrphans',
          message: '21 orphans would be removed at once: none is, until an operator says so',
        },
      ])
    },
  })
  expect(violation).toBeUndefined()
  expect(JSON.parse(endState)).toMatchObject({ live: 1 + many.length, servers: 1, orphans: many.length })
})
