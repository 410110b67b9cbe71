import { inspect } from 'node:util'
import { describeWith, freePort, PostgresCluster } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { conflictOf, newSet, times, widget } from '../conformance/fixture.suite.ts'
import { OpenError } from '../words/errors.ts'
import { parseDatabaseUrl } from './address.ts'
import { Connector } from './connector.ts'
import { TestServer } from './fixture.suite.ts'
import { migrate } from './migrate.ts'
import { type Migration, migrations, schemaVersion } from './migrations.ts'
import { markPostgresRestored, openPostgresStore } from './open-store.ts'
import { SchemaName } from './schema-name.ts'

describeWith('embedded postgresql', 'starting on PostgreSQL', () => {
  const server = new TestServer('embedded postgresql')

  /** What the program would do that knows these migrations too. */
  async function migrateWith(database: string, ...more: readonly Migration[]) {
    const connector = new Connector(realWorld, parseDatabaseUrl(server.cluster.url(database)))
    const connection = await connector.connect(seconds(5))
    const schema = new SchemaName('stead')
    await migrate({ world: realWorld, connection, schema, migrations: [...migrations, ...more] })
    await connection.close()
  }

  const failureOf = async (opening: Promise<unknown>): Promise<OpenError> => {
    const error = await opening.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(OpenError)
    return error as OpenError
  }

  test('of five nodes at once one makes the schema, and all are the same store', async () => {
    const database = await server.newDatabase()
    const stores = await Promise.all(times(5, () => server.open(database)))
    expect(new Set(stores.map(({ identity }) => identity.storeId)).size).toBe(1)
    const versions = await server.run(database, 'SELECT version, minimum FROM stead.schema_versions')
    expect(versions).toEqual(migrations.map(({ version, minimum }) => ({ version, minimum })))
    await Promise.all(stores.map((store, n) => store.commit(newSet().create(widget(`w-${n}`)))))
  })

  test('two stores share a database, each in a schema of its own', async () => {
    const database = await server.newDatabase()
    const [a, b] = [await server.open(database, { schema: 'one' }), await server.open(database, { schema: 'two_2' })]
    await a.commit(newSet().take('key', 'a'))
    await b.commit(newSet().take('key', 'b'))
    expect(await a.keyHolder('key')).toBe('a')
    expect(a.identity.storeId).not.toBe(b.identity.storeId)
    for (const schema of ['Stead', 'a"b', '', '1st', 'pg_stead', 'x'.repeat(49)])
      expect((await failureOf(server.open(database, { schema }))).failure).toBe('unwritable')
  })

  test('an addition by a newer version leaves older nodes working, also those that start later', async () => {
    const database = await server.newDatabase()
    const running = await server.open(database)
    await migrateWith(database, {
      version: schemaVersion + 1,
      minimum: 1,
      sql: () => 'ALTER TABLE stead.objects ADD COLUMN note text',
    })
    await running.commit(newSet().create(widget('a')))
    const later = await server.open(database)
    await later.commit(newSet().create(widget('b')))
    expect(later.head()).toBe(2)
  })

  test('a change that older versions cannot live with stops them, and they cannot start', async () => {
    const database = await server.newDatabase()
    const running = await server.open(database)
    const next = schemaVersion + 1
    await migrateWith(database, { version: next, minimum: next, sql: () => 'SELECT 1' })
    expect((await running.failed).message).toContain('upgrade this node')
    await expect(running.commit(newSet().create(widget('a')))).rejects.toThrow('upgrade this node')
    const { failure, message } = await failureOf(server.open(database))
    expect(failure).toBe('newer_schema')
    expect(message).toContain('nothing was changed')
  })

  test('a migration that fails leaves everything as it was', async () => {
    const database = await server.newDatabase()
    await (await server.open(database)).commit(newSet().create(widget('a')))
    const sql = () => 'ALTER TABLE stead.objects ADD COLUMN note text; SELECT 1 / 0'
    const failing = migrateWith(database, { version: schemaVersion + 1, minimum: 1, sql })
    await expect(failing).rejects.toThrow('division by zero')
    expect((await server.open(database)).head()).toBe(1)
    const columns = await server.run(
      database,
      `SELECT FROM information_schema.columns WHERE table_schema = 'stead' AND column_name = 'note'`,
    )
    expect(columns).toHaveLength(0)
  })

  test('a user with a schema of its own and nothing else can run everything', async () => {
    const database = await server.newDatabase()
    await server.run(
      database,
      `CREATE ROLE tenant_${database} LOGIN PASSWORD 'tenant' NOSUPERUSER;
       REVOKE ALL ON DATABASE ${database} FROM PUBLIC; GRANT CONNECT ON DATABASE ${database} TO tenant_${database};
       CREATE SCHEMA stead AUTHORIZATION tenant_${database}`,
    )
    const url = `postgres://tenant_${database}:tenant@127.0.0.1:${server.cluster.port}/${database}`
    const store = await server.open(database, { url })
    await store.commit(newSet().create(widget('a')).take('key', 'a'))
    const [lease] = await store.leases.acquire({ names: ['lease'], holder: 'a', ttl: seconds(60) })
    expect(await conflictOf(store.commit(newSet().fence('lease', lease!.fence + 1)))).toMatchObject({ type: 'fence' })
    await vi.waitFor(() => expect(store.describe().notifications).toBe('working'), { timeout: 5_000 })
    const refused = await failureOf(server.open(database, { url, schema: 'another' }))
    expect(refused.failure).toBe('unwritable')
    expect(refused.message).toContain(`user tenant_${database} may not`)
  })

  test('whatever the database’s defaults are, commits are durable and in order', async () => {
    const database = await server.newDatabase()
    await server.run(
      'postgres',
      `ALTER DATABASE ${database} SET synchronous_commit = off;
       ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`,
    )
    const stores = await Promise.all(times(3, () => server.open(database)))
    await server.run(
      database,
      `CREATE TABLE seen (setting text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER see AFTER INSERT ON stead.log DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION see()`,
    )
    const commits = times(60, n =>
      stores[n % 3]!.commit(
        newSet()
          .create(widget(`w-${n}`))
          .move('count', 1),
      ),
    )
    const revisions = (await Promise.all(commits)).map(({ revision }) => revision)
    expect(revisions.sort((a, b) => a - b)).toEqual(times(60, n => n + 1))
    expect(await server.run(database, 'SELECT DISTINCT setting FROM seen')).toEqual([{ setting: 'on' }])
  })

  test('a database brought back from its files is told, and then only observes', async () => {
    const database = await server.newDatabase()
    const url = server.cluster.url(database)
    const store = await server.open(database)
    await store.close()
    await markPostgresRestored({ url, world: realWorld })
    const [restored, second] = [await server.open(database), await server.open(database)]
    const expected = { ...store.identity, epoch: 2, observeOnly: true }
    expect([restored.identity, second.identity]).toEqual([expected, expected])
    await restored.resume()
    await vi.waitFor(() => expect(second.identity).toEqual({ ...expected, observeOnly: false }), { timeout: 5_000 })
  })

  test('what keeps it from starting is said plainly, and the password never', async () => {
    const { password } = PostgresCluster
    const database = await server.newDatabase()
    const url = server.cluster.url(database)
    const patience = seconds(0.5)
    const open = (url: string) => failureOf(openPostgresStore({ url, world: realWorld, patience }))
    const nobody = await freePort()
    const failures = {
      'connect ECONNREFUSED': await open(url.replace(/:\d+\//, `:${nobody}/`)),
      'password authentication failed for user "stead"': await open(url.replace(password, `${password}x`)),
      'database "nowhere" does not exist': await open(url.replace(database, 'nowhere')),
      'does not support SSL': await open(`${url}?sslmode=require`),
      'it is not of the form': await open(url.replace('postgres:', 'mysql:')),
      'it has a parameter "sslmod"': await open(`${url}?sslmod=require`),
      'sslmode "prefer" is not one of': await open(`${url}?sslmode=prefer`),
      'cannot be read': await open(`${url}?sslmode=require&sslrootcert=/nowhere/ca.pem`),
    }
    for (const [text, error] of Object.entries(failures)) {
      expect(error.failure).toBe('unreachable')
      expect(error.message).toContain(text)
      expect(inspect(error, { depth: 20 })).not.toContain(password)
    }
    const store = await server.open(database)
    await store.commit(newSet().create(widget('a')))
    expect(inspect(store, { depth: 20 })).not.toContain(password)
    expect(JSON.stringify(store.describe())).not.toContain(password)
  })
})
