import { expect, test } from 'vitest'
import { simulatedSubject } from '../simulated/contract-subject.ts'
import { judge, promisesOf } from './judge.ts'
import { contractPromises } from './promises.ts'
import type { ContractSubject } from './subject.ts'
import { alteredProvider, type WrongProvider, wrongProviders } from './wrong/index.ts'

/** The simulated cloud, whose every client is wrong in this way. */
async function wrongSubject(wrong: WrongProvider): Promise<ContractSubject> {
  // Fewer at once than the contract asks of it otherwise: this runs every check against every wrong provider.
  const right = await simulatedSubject({ mode: 'token', concurrency: 25 })
  const spoil = wrong.spoil({ subject: right, cloud: right.cloud, account: right.cloud.account() })
  const spoiled = async (connect: () => Promise<ContractSubject['provider']>) => alteredProvider(await connect(), spoil)
  return {
    ...right,
    disposable: true,
    provider: alteredProvider(right.provider, spoil),
    connect: () => spoiled(right.connect),
    unreachable: () => spoiled(right.unreachable),
    badCredentials: () => spoiled(right.badCredentials),
  }
}

test('there is a wrong provider for every promise', () =>
  expect(wrongProviders.map(({ promise }) => promise).sort()).toEqual(
    contractPromises.map(({ promise }) => promise).sort(),
  ))

test('every promise has its own name', () =>
  expect(new Set(contractPromises.map(({ promise }) => promise)).size).toBe(contractPromises.length))

for (const wrong of wrongProviders)
  test(`caught: ${wrong.promise}`, async () => {
    const broken: string[] = []
    for (const promise of promisesOf(await wrongSubject(wrong))) {
      const verdict = await judge(() => wrongSubject(wrong), promise)
      if (verdict.outcome !== 'kept') broken.push(promise.promise)
    }
    expect(broken).toEqual([wrong.promise])
  })
