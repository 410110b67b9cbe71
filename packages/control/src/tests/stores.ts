import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openPostgresStore, openSqliteStore, type Store } from '@stead/engine'
import { describeWith, PostgresCluster } from '@stead/testing'
import type { World } from '@stead/world'
import { afterAll, beforeAll, describe } from 'vitest'

export interface TestHome {
  /** Of this house alone; a house that is opened again has the same. */
  readonly directory: string
  readonly world: World
}

let cluster: PostgresCluster | undefined

/** Where a house of a test keeps what it has: in files of its own, unless its tests run on PostgreSQL. */
export const openTestStore = ({ directory, world }: TestHome): Promise<Store> =>
  cluster
    ? openPostgresStore({ url: cluster.url(), world, schema: schemaOf(directory), poolSize: 4 })
    : openSqliteStore({ directory, world })

/** A name that PostgreSQL takes: small letters, and directories of tests end in any. */
const schemaOf = (directory: string): string =>
  `t_${[...Buffer.from(basename(directory).replace('stead-test-', ''))].map(byte => byte.toString(36)).join('')}`

/** All houses of the tests around this use one PostgreSQL, each with a schema of its own. */
function onPostgres(): void {
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(async () => {
    await cluster?.stop()
    cluster = undefined
  })
}

/** Every test below a directory that opens a house, once more on PostgreSQL: whoever adds one need not think of it. */
export function describeOnPostgres(directory: string, only: (file: string) => boolean = () => true): void {
  const opensHouse = (file: string) =>
    /tests\/(?:region-|network-)?(?:house|shop)\.ts'/.test(readFileSync(join(directory, file), 'utf8'))
  const files = globSync('**/*.test.ts', { cwd: directory }).filter(
    file => !/-on-(postgres|sqlite)|fuzz/.test(file) && only(file) && opensHouse(file),
  )
  if (files.length === 0) throw new Error(`no test below ${directory} opens a house`)
  describeWith('embedded postgresql', 'on PostgreSQL', () => {
    onPostgres()
    // In a describe of its own, so that what a file opens for all of its tests is closed with them.
    for (const file of files.sort()) describe(file, async () => void (await import(join(directory, file))))
  })
}
