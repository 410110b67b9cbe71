import { Writable } from 'node:stream'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { logRedaction } from './log-redaction.ts'

test('credentials do not reach the log, however they are put into a line', () => {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const { log } = Fastify({ logger: { stream, redact: logRedaction } })
  log.info({ token: 'hunter2', user: 'ada' }, 'top')
  log.info({ headers: { authorization: 'hunter2', cookie: 'hunter2', 'set-cookie': 'hunter2' } }, 'inside')
  log.info({ request: { headers: { authorization: 'hunter2' }, body: { password: 'hunter2' } } }, 'deep inside')
  expect(text).not.toContain('hunter2')
  expect(text.match(/\[redacted\]/g)).toHaveLength(6)
  expect(text).toContain('ada')
})
