import { millis, seconds } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IdempotencyMode } from '../capabilities.ts'
import { isProviderError } from '../errors.ts'
import { listAll } from '../filter.ts'
import type { Provider } from '../provider.ts'
import type { ServerInfo } from '../server-info.ts'
import { sky } from './testing.ts'

const hostile = {
  lostReply: 0.25,
  lateEffect: 0.2,
  errorBefore: 0.15,
  slow: 0.1,
  throttled: 0.1,
  capacity: 0.1,
  staleList: 0.8,
  staleDescribe: 0.8,
}

/** Sends it again until it is answered, as a control plane does: by another client each time, after a crash of its own. */
async function insist(
  place: ReturnType<typeof sky>,
  send: (client: Provider, fresh: boolean) => Promise<{ id: string }>,
): Promise<string> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const client = attempt % 2 === 0 ? place.provider : place.client()
    try {
      return (await send(client, attempt === 0)).id
    } catch (error) {
      if (!isProviderError(error) || !error.retryable) throw error
      await place.world.sleep(error.retryAfter ?? millis(100))
    }
  }
  throw new Error('60 attempts were not enough')
}

test.each(['token', 'name', 'search'] as const)(
  'by %s: whatever goes wrong, one token makes one',
  (mode: IdempotencyMode) =>
    fc.assert(
      fc.asyncProperty(fc.integer(), async seed => {
        const place = sky({
          seed,
          rates: hostile,
          profile: { idempotency: mode, settle: seconds(4), consistency: { describe: millis(300), list: millis(800) } },
        })
        const { world, provider, order } = place
        const orders = Array.from({ length: 4 }, () => order())
        const launched = orders.map(({ spec, token }) =>
          insist(place, (client, fresh) => client.launch(spec, token, { fresh })),
        )
        const tags = orders[0]!.spec.tags
        const made = insist(place, (client, fresh) =>
          client.networks!.create({ name: 'n', tags, cidr: '10.0.0.0/24' }, orders[0]!.token, { fresh }),
        )
        const ids = await place.run(Promise.all(launched))
        const network = await place.run(made)
        await world.runFor(seconds(10))
        for (const name of Object.keys(place.cloud.faults.rates)) place.cloud.faults.rates[name as 'slow'] = 0
        const servers: ServerInfo[] = await place.run(listAll(provider.list({ tags: {}, all: true })))
        expect(servers.map(server => server.id).sort()).toEqual([...ids].sort())
        const networks = await place.run(listAll(provider.networks!.list({ tags: {}, all: true })))
        expect(networks.map(({ id }) => id)).toEqual([network])
      }),
      { numRuns: 40 },
    ),
)
