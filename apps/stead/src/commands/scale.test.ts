import { Writable } from 'node:stream'
import { Stead } from '@stead/sdk'
import { RunningStead } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { Output } from '../client/output.ts'
import type { Session } from '../client/session.ts'
import { scale } from './power.ts'

/** As regions answer that cannot resize: no region that every machine has is one. */
const refusal = {
  ...{ type: 'about:blank', title: 'Replacement required', status: 409, code: 'replacement_required', detail: 'no' },
  ...{
    suggestion: 'read the plan',
    traceId: '0',
    plan: { effect: 'replace', changes: [], loses: ['disk'], keeps: ['addresses'], interrupts: true },
  },
}

test('where scaling destroys something, it is said what, and done only for who says yes', async () => {
  const { url, token } = await RunningStead.start({ args: ['--simulated-region'] })
  const asked: string[] = []
  const stead = new Stead({
    ...{ url, token },
    async fetch(to, init) {
      const isScale = String(to).includes('/scale')
      if (isScale) asked.push(new URL(String(to)).search)
      if (!isScale || String(to).includes('allow=replace')) return fetch(to, init)
      return Response.json(refusal, { status: 409, headers: { 'content-type': 'application/problem+json' } })
    },
  })
  const project = stead.project('default/default')
  const source = { services: { services: { web: { image: 'any', command: ['x'] } } } }
  await project.instances.create({ name: 'web', spec: { region: 'simulated', source } })
  await project.instances.waitUntil('web', { ready: true })
  const said: string[] = []
  const write = (text: Buffer, _: unknown, done: () => void) => {
    said.push(String(text))
    done()
  }
  const stream = new Writable({ write }) as unknown as NodeJS.WriteStream
  const session: Session = {
    ...{ stead, project, world: realWorld, env: {}, isInteractive: false, signal: new AbortController().signal },
    ...{ connection: { url, token, project: project.name, origin: 'a test' } },
    out: new Output({ stdout: stream, stderr: stream }, {}, false),
  }
  const run = (yes: boolean) => scale(session, { args: ['web'], flags: { cpu: '500', wait: true, yes } })
  await expect(run(false)).rejects.toMatchObject({
    reason: 'declined',
    message: expect.stringMatching(
      /^Here this is a replace: web loses its disk; keeps its addresses; does not serve meanwhile\. Go on\? Say --yes/,
    ),
  })
  await run(true)
  expect(asked).toEqual(['', '', '?allow=replace'])
  expect(said.join('')).toMatch(/web is running\n$/)
}, 60_000)
