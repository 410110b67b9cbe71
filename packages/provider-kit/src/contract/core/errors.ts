import assert from 'node:assert/strict'
import { providerErrorCodes } from '../../errors.ts'
import { listAll } from '../../filter.ts'
import type { Provider } from '../../provider.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** Each call of the core, on a server that is there. */
async function coreCalls(bench: Bench): Promise<Record<string, (provider: Provider) => Promise<unknown>>> {
  const { id } = await bench.launch()
  await bench.pictures()
  return {
    catalog: provider => provider.catalog(),
    launch: provider => provider.launch(bench.order().spec, bench.token(), { fresh: true }),
    terminate: provider => provider.terminate(id),
    stop: provider => provider.stop(id),
    start: provider => provider.start(id),
    describe: provider => provider.describe(id),
    list: provider => listAll(provider.list({ tags: bench.mark })),
  }
}

export const errorPromises = promises(
  'core',
  {
    async 'every failure is a typed error that says whether to try again'(bench) {
      const { spec, token } = bench.order({ source: bench.subject.sources.invalid })
      const misuse = {
        launch: () => bench.provider.launch(spec, token, { fresh: true }),
        describe: () => bench.provider.describe('no such thing'),
        stop: () => bench.provider.stop('../../etc/passwd'),
        start: () => bench.provider.start(''),
      }
      for (const [what, call] of Object.entries(misuse)) {
        const error = await bench.refused(`a wrong ${what}`, call)
        assert.ok(error.code in providerErrorCodes, `${what} failed with the code ${error.code}`)
        assert.equal(error.retryable, false, `${what} will not get better: ${error.code} ${error.message}`)
        assert.notEqual(error.message, '')
      }
    },

    async 'a backend that cannot be reached is Unavailable, never NotFound'(bench) {
      const calls = await coreCalls(bench)
      const provider = await bench.given('unreachable')()
      for (const [what, call] of Object.entries(calls)) {
        const error = await bench.refused(`${what} without a backend`, () => call(provider), 'Unavailable')
        assert.equal(error.retryable, true)
      }
    },

    async 'bad credentials are Auth'(bench) {
      const calls = await coreCalls(bench)
      const provider = await bench.given('badCredentials')()
      for (const [what, call] of Object.entries(calls)) {
        const error = await bench.refused(`${what} with bad credentials`, () => call(provider), 'Auth')
        assert.equal(error.retryable, false)
      }
    },

    async 'no room, no quota and too fast are told apart'(bench) {
      const provoked = bench.given('provoke')
      for (const [code, call] of Object.entries(provoked)) {
        const provoke = () => call(bench.provider)
        const error = await bench.refused(`provoking ${code}`, provoke, code as 'Capacity' | 'Quota' | 'Throttled')
        assert.equal(error.retryable, true)
      }
    },
  },
  {
    'a backend that cannot be reached is Unavailable, never NotFound': 'unreachable',
    'bad credentials are Auth': 'badCredentials',
    'no room, no quota and too fast are told apart': 'provoke',
  },
)
