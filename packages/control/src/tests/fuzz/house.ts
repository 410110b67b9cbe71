import type { Logger, Store } from '@stead/engine'
import { simulatedProvider } from '@stead/provider-kit/simulated'
import { millis } from '@stead/world'
import { expect } from 'vitest'
import { auditIndexTable, auditTable } from '../../audit/model.ts'
import { eventsTable } from '../../events/model.ts'
import { IdentityHouse } from '../../identity/tests/house.ts'
import { simulatedCloud } from '../../regions/tests/region-house.ts'
import { Fuzz } from './fuzz.ts'
import { fuzzTenants } from './ground.ts'

/** The same at each run, so that a change is judged by what it changes; others are tried with the variable. */
const seed = process.env.STEAD_FUZZ_SEED ?? 'stead'
/** Fewer requests reach every route only with luck. */
const enoughForAll = 20_000

/** Fuzzes every route that the document of the real rooms lists, and looks for secrets in all that is left behind. */
export async function fuzzRooms(requests: number, openStore?: () => Promise<Store>): Promise<void> {
  const lines: string[] = []
  const cloud = simulatedCloud({ profile: { launchCall: millis(1), boot: millis(20) } })
  const house = await IdentityHouse.openForAll({
    ...(openStore && { openStore }),
    log: loggerTo(lines),
    providers: [simulatedProvider(() => cloud)],
    server: { behindProxy: true },
    checksReplies: false,
  })
  const { body: document } = await house.call('GET', '/openapi.json')
  const fuzz = new Fuzz({ url: house.url, document, seed, logged: () => lines.splice(0) })
  const wanted = Number(process.env.STEAD_FUZZ_REQUESTS ?? requests)
  try {
    await fuzzTenants(fuzz, house, { requests: wanted, cloud })
    await inspectStore(fuzz, house)
  } finally {
    fuzz.close()
    await house.close()
  }
  const found = [...fuzz.violations].map(([what, detail]) => `${what}\n  ${detail}`)
  console.log(summary(fuzz))
  // What is found is in the message, too: where a second try finds nothing, nothing else is left of the first.
  const again = `repeat with STEAD_FUZZ_SEED=${seed} STEAD_FUZZ_REQUESTS=${wanted}`
  expect(found, [...found, again].join('; ')).toEqual([])
  if (wanted >= enoughForAll)
    expect(
      fuzz.unreached().map(({ name }) => name),
      `never answered with a success; seed ${seed}`,
    ).toEqual([])
}

/** What is kept may hold no secret either: neither what is told to people, nor the objects themselves. */
export async function inspectStore(fuzz: Fuzz, { engine, store }: IdentityHouse): Promise<void> {
  const everything = engine.cache.platform()
  for (const kind of everything.kinds())
    for (const object of everything.list({ kind }).items)
      fuzz.inspect(`objects of kind ${kind}`, JSON.stringify(object))
  const scopes = ['platform', ...everything.list({ kind: 'organization' }).items.map(({ id }) => id)]
  for (const table of [auditTable, auditIndexTable, eventsTable])
    for (const scope of scopes)
      for (let before: number | undefined; ; ) {
        const page = await store.records({ table, scope, limit: 500, ...(before !== undefined && { before }) })
        for (const record of page) fuzz.inspect(`records of ${table}`, JSON.stringify(record))
        if (page.length < 500) break
        before = page.at(-1)!.sequence
      }
}

/** A logger that keeps every line, down to the least, with errors written out. */
export function loggerTo(lines: string[]): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    lines.push(
      JSON.stringify({ level, message, ...fields }, (_, value) => (value instanceof Error ? value.stack : value)),
    )
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function summary({ sent, counts, operations, secrets }: Fuzz): string {
  const statuses = new Map<number, number>()
  for (const ofRoute of counts.values())
    for (const [status, count] of ofRoute) statuses.set(status, (statuses.get(status) ?? 0) + count)
  const listed = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  return `fuzz: seed ${seed}, ${sent} requests over ${operations.length} routes, ${secrets.size} secrets; ${listed.join(', ')}`
}
