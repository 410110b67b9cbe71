import { expect, test } from 'vitest'
import { simulatedSubject } from '../simulated/contract-subject.ts'
import { excuse, judge, promisesOf } from './judge.ts'
import { contractPromises } from './promises.ts'
import type { ContractSubject } from './subject.ts'
import { summary } from './summary.ts'
import { alteredProvider } from './wrong/index.ts'

const named = (name: string) => contractPromises.find(({ promise }) => promise === name)!

const changed = async (change: (subject: ContractSubject) => Partial<ContractSubject>): Promise<ContractSubject> => {
  const subject = await simulatedSubject({ mode: 'token' })
  return { ...subject, ...change(subject) }
}

test('a group that is advertised and cannot be tested is broken', async () => {
  const noFixture = () => changed(() => ({ groups: {} }))
  expect(await judge(noFixture, named('exec tells the exit code'))).toMatchObject({
    outcome: 'broken',
    error: { message: 'exec is advertised, and the subject says nothing about how to test it' },
  })
  const noInside = () => changed(() => ({ inside: { not: 'it has no inside' } }))
  expect(await judge(noInside, named('reboot restarts a server and keeps its disk'))).toMatchObject({
    outcome: 'broken',
  })
})

test('a field that is advertised as updatable and cannot be tested is broken', async () => {
  const noTags = () =>
    changed(({ groups }) => {
      const { tags: _, ...fields } = groups.update!.fields
      return { groups: { ...groups, update: { ...groups.update!, fields } } }
    })
  expect(await judge(noTags, named('update changes what it advertises, at the price it says'))).toMatchObject({
    outcome: 'broken',
  })
})

test('a promise of the core that a backend cannot show is excused, with its reason', async () => {
  const subject = await changed(() => ({ badCredentials: { not: 'it needs none' } }))
  expect(excuse(subject, named('bad credentials are Auth'))?.why).toBe('it needs none')
  expect(excuse(subject, named('storage survives stop'))).toBeUndefined()
})

test('only what is advertised is asked for', async () => {
  const few = await changed(({ provider }) => ({
    provider: alteredProvider(provider, () => ({
      capabilities: () => ({
        ...provider.capabilities(),
        sources: ['machine'],
        groups: { exec: { tty: false, signals: true } },
      }),
    })),
  }))
  const asked = promisesOf(few)
  expect(new Set(asked.map(({ group }) => group))).toEqual(new Set(['core', 'exec']))
  expect(asked).toContain(named('exec passes signals on'))
  expect(asked).not.toContain(named('exec with a terminal has its size, and follows a resize'))
  expect(asked).not.toContain(named('the ports of a service are its endpoints'))
})

test('a mess that is left behind is seen', async () => {
  const messy = () =>
    changed(({ provider }) => ({ provider: alteredProvider(provider, () => ({ terminate: async () => {} })) }))
  const verdict = await judge(messy, named('it says how a create happens once'))
  expect(verdict.outcome).toBe('kept')
  expect((await judge(messy, named('launch returns as soon as an id exists'))).outcome).toBe('broken')
})

test('the summary says what was tested, what was not, and why', () =>
  expect(
    summary('toy', [
      { promise: named('stop of the stopped succeeds'), outcome: 'kept' },
      { promise: named('exec tells the exit code'), outcome: 'broken', error: new Error('42 is 0') },
      { promise: named('bad credentials are Auth'), outcome: 'notTried', why: 'it needs none' },
    ]),
  ).toBe(
    'provider contract, toy: 1 promises kept, 1 broken; groups tested: exec; not advertised: reboot, resize, rebuild, ' +
      'update, adopt, snapshot, images, networks, securityGroups, volumes, console, logs, metrics, watch, addresses\n' +
      '  not tried: "bad credentials are Auth" (it needs none)',
  ))
