import { DatabaseSync } from 'node:sqlite'
import type { ObjectDraft } from '@stead/engine'
import { millis, newId, type World } from '@stead/world'
import { Latencies } from '../../harness/latencies.ts'
import { sampleOf } from '../../harness/load.ts'
import type { Sample } from '../../harness/rounds.ts'
import type { Acknowledged, Contender, Load } from '../contender.ts'
import { openStore, type SqlitePlace } from '../place.ts'
import { type Creation, nextStatus, operations, populationSize, Workload } from '../workload.ts'
import { fileOf } from './rows.ts'

/** Of those our store sets, the ones that cost or save time; checkpoints as rare as our store makes them under load. */
const samePragmas = 'PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 16000'

/**
 * What SQLite gives to someone who needs nothing else: the rows our store would write, to a file our store made, with
 * the same durability, in the largest transactions that number of writers allows. It checks nothing, answers nobody
 * and crosses no thread: a ceiling, not a rival.
 */
export class RawSqliteContender implements Contender {
  readonly name = 'raw SQLite'
  readonly operations = operations
  readonly acknowledged: Acknowledged = { puts: 0, creates: 0 }
  readonly #world: World
  readonly #workload: Workload
  readonly #database: DatabaseSync
  readonly #sql: ReturnType<typeof prepareRows>
  readonly #population: readonly ObjectDraft[]
  #revision = 0
  #sequence = 0

  private constructor(world: World, file: string) {
    this.#world = world
    this.#workload = new Workload(world)
    this.#database = new DatabaseSync(file)
    this.#database.exec(samePragmas)
    this.#sql = prepareRows(this.#database)
    const creations = this.#workload.creations(populationSize)
    this.#inTransaction(() => creations.forEach(creation => void this.#create(creation)))
    this.#population = this.#workload.shuffled(creations.map(({ object }) => object))
  }

  static async start(world: World, place: SqlitePlace): Promise<RawSqliteContender> {
    const store = await openStore(world, place)
    await store.close()
    return new RawSqliteContender(world, fileOf(place))
  }

  async write({ operation, writers, duration }: Load): Promise<Sample> {
    const latencies = new Latencies()
    const start = this.#world.monotonic()
    let place = 0
    const writeOne =
      operation === 'create'
        ? () => this.#create(this.#workload.creation())
        : () => this.#put(this.#population[place++ % populationSize]!)
    for (let began = start; began - start < duration; began = this.#world.monotonic()) {
      this.#inTransaction(() => {
        for (let writer = 0; writer < writers; writer++) writeOne()
      })
      const waited = this.#world.monotonic() - began
      for (let writer = 0; writer < writers; writer++) latencies.record(waited)
    }
    return sampleOf(millis(this.#world.monotonic() - start), latencies)
  }

  async close(): Promise<void> {
    this.#database.close()
  }

  #inTransaction(write: () => void): void {
    const sequence = this.#sequence
    this.#sql.begin.run()
    write()
    if (this.#sequence > sequence) this.#sql.setMeta.run('record_sequence', String(this.#sequence))
    this.#sql.commit.run()
  }

  #put(object: ObjectDraft): void {
    this.#writeObject(object, nextStatus(object, this.acknowledged.puts))
    this.acknowledged.puts++
  }

  #create({ object, nameKey, counters, event }: Creation): void {
    this.#writeObject(object, object.status)
    this.#sql.insertKey.run(nameKey, object.id)
    this.#sql.moveCounter.run(counters[0], 1)
    this.#sql.moveCounter.run(counters[1], 2_000)
    const body = JSON.stringify(event.body)
    this.#sql.insertRecord.run(event.table, ++this.#sequence, this.#world.now(), event.scope, event.subject, body)
    this.acknowledged.creates++
  }

  #writeObject({ kind, id, spec: wanted, ...others }: ObjectDraft, status: ObjectDraft['status']): void {
    const spec = JSON.stringify(wanted)
    const rest = JSON.stringify({ ...others, status })
    const revision = ++this.#revision
    const now = this.#world.now()
    this.#sql.putObject.run(kind, id, revision, 1, spec, rest)
    const change = `[{"op":"put","kind":"${kind}","id":"${id}","generation":1,"revision":${revision},"spec":${spec},"rest":${rest}}]`
    this.#sql.appendLog.run(revision, now, change)
    this.#sql.insertOutcome.run(newId(this.#world, 'cs'), revision, now)
  }
}

function prepareRows(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    begin: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    setMeta: prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'),
    putObject: prepare(`
      INSERT INTO objects (kind, id, revision, generation, spec, rest) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision, rest = excluded.rest`),
    appendLog: prepare('INSERT INTO log (revision, at, changes) VALUES (?, ?, ?)'),
    insertOutcome: prepare('INSERT INTO change_sets (id, revision, at) VALUES (?, ?, ?)'),
    insertKey: prepare('INSERT INTO keys (key, holder) VALUES (?, ?)'),
    moveCounter: prepare(`
      INSERT INTO counters (counter, value) VALUES (?, ?)
      ON CONFLICT (counter) DO UPDATE SET value = value + excluded.value`),
    insertRecord: prepare(`
      INSERT INTO records (record_table, sequence, at, scope, subject, body) VALUES (?, ?, ?, ?, ?, ?)`),
  }
}
