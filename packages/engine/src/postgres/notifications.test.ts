import { seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { silentLogger } from '../words/logger.ts'
import { Notifications } from './notifications.ts'
import { SchemaName } from './schema-name.ts'

/** Notifications of one node, with what it sent. What arrives, and when, is up to the test. */
function setUp() {
  const world = new VirtualWorld({ seed: 1 })
  const sent: string[] = []
  const ask = async <Row>(_sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
    sent.push(String(values[1]))
    return []
  }
  const database = { world, schema: new SchemaName('stead'), ask }
  return { world, sent, notifications: new Notifications(database, silentLogger, () => {}) }
}

test('one that arrives while nothing is asked shows that they work', async () => {
  const { world, sent, notifications } = setUp()
  void notifications.test()
  await world.runFor(seconds(0.1))
  notifications.heard(sent[0]!, false)
  await world.runFor(seconds(5))
  expect([notifications.state, sent.length]).toEqual(['working', 1])
})

test('one that arrives with an answer shows nothing: a pooler may have lent us the session that listens just then', async () => {
  const { world, sent, notifications } = setUp()
  void notifications.test()
  await world.runFor(seconds(0.1))
  notifications.heard(sent[0]!, true)
  await world.runFor(seconds(1))
  expect([notifications.state, sent.length]).toEqual(['unknown', 2])
  await world.runFor(seconds(2))
  expect(notifications.state).toBe('swallowed')
})

test('a new session is tested anew, and nothing is sent once it is closed', async () => {
  const { world, sent, notifications } = setUp()
  void notifications.test()
  await world.runFor(seconds(3))
  expect(notifications.state).toBe('swallowed')
  void notifications.test()
  await world.runFor(seconds(0.1))
  notifications.heard(sent[1]!, false)
  await world.runFor(seconds(0.1))
  expect(notifications.state).toBe('working')
  void notifications.test()
  await world.runFor(seconds(0.1))
  notifications.close()
  await world.runFor(seconds(10))
  expect([notifications.state, sent.length]).toEqual(['working', 3])
})
