import { type PostgresEdition, PostgresProxy } from '@stead/testing'
import { realWorld } from '@stead/world'
import { type StoreHome, storeConformance } from '../conformance/conformance.suite.ts'
import type { Store } from '../words/store.ts'
import { TestServer } from './fixture.suite.ts'
import { openPostgresStore } from './open-store.ts'

interface DatabaseHome extends StoreHome {
  readonly database: string
}

/** The whole suite: three nodes, each behind a proxy of its own, on one server, with a database per home. */
export function postgresConformance(edition: PostgresEdition): void {
  const server = new TestServer(edition)
  const proxies = new Map<Store, PostgresProxy>()

  async function newHome(template?: string): Promise<DatabaseHome> {
    const database = await server.newDatabase(template)
    const opened: PostgresProxy[] = []
    return {
      database,
      async open() {
        const proxy = await PostgresProxy.start(server.cluster)
        opened.push(proxy)
        const url = proxy.through(server.cluster.url(database))
        const store = await openPostgresStore({ url, world: realWorld })
        proxies.set(store, proxy)
        return store
      },
      async destroy() {
        await Promise.all(opened.map(proxy => proxy.stop()))
        await server.run('postgres', `DROP DATABASE ${database} WITH (FORCE)`)
      },
    }
  }

  storeConformance(edition, {
    nodes: 3,
    inOrder: true,
    create: () => newHome(),
    copy: home => newHome((home as DatabaseHome).database),
    loseNextAnswer: store => cutBeforeAnswer(proxies.get(store)!),
  })
}

/** The procedure has committed before it sends its row. */
function cutBeforeAnswer(proxy: PostgresProxy): void {
  let isAsked = false
  proxy.fromClient = ({ bytes }) => {
    isAsked ||= bytes.includes('commit_batch')
    return 'pass'
  }
  proxy.fromServer = ({ type }) => {
    if (!isAsked || type !== 'D') return 'pass'
    proxy.fromServer = () => 'pass'
    return 'cut'
  }
}
