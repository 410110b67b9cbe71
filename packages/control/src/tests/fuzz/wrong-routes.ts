import { changeSet } from '@stead/engine'
import Type from 'typebox'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { secret } from '../../schema/secret.ts'

const open = { scope: 'platform', permission: 'public', summary: 'Be wrong' } as const
const fine = { 200: Type.Object({ fine: Type.Boolean() }) }
const withSecret = { body: Type.Object({ password: secret(Type.String({ minLength: 12 })) }), replies: fine }
const isFine = () => ({ status: 200, body: { fine: true } })

/** Each does one thing that no route may do. By what is to be said of it. */
export function wrongRoutes(log: (line: string) => void): Readonly<Record<string, Route>> {
  const shown = 'a-secret-that-is-shown-again-and-again'
  return {
    '5xx: GET /v1/wrong/throws': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/throws', replies: fine },
      handle() {
        throw new Error('a bug')
      },
    }),
    '5xx: GET /v1/wrong/away': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/away', replies: fine },
      handle() {
        throw fail('unavailable', 'not today')
      },
    }),
    'status: GET /v1/wrong/refusal': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/refusal', replies: fine },
      handle() {
        throw fail('stale', 'nobody said that this may be')
      },
    }),
    'schema: GET /v1/wrong/body': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/body', replies: fine },
      handle: () => ({ status: 200, body: { fine: 'yes' } }),
    }),
    'content type: GET /v1/wrong/type': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/type', replies: fine },
      handle: () => ({ status: 200, text: '{"fine":true}', headers: { 'content-type': 'text/html' } }),
    }),
    'secret: POST /v1/wrong/echo': route({
      ...{ ...open, ...withSecret, method: 'POST', path: '/v1/wrong/echo' },
      handle({ body }) {
        throw fail('invalid', `the password ${body.password} is too well known`)
      },
    }),
    'secret: GET /v1/wrong/shows': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/shows' },
      replies: { 200: Type.Object({ token: secret(Type.String()) }) },
      handle: () => ({ status: 200, body: { token: shown } }),
    }),
    'secret: the log': route({
      ...{ ...open, ...withSecret, method: 'POST', path: '/v1/wrong/logs' },
      handle({ body }) {
        log(`somebody came with ${body.password}`)
        return isFine()
      },
    }),
    'secret: records of events': route({
      ...{ ...open, ...withSecret, method: 'POST', path: '/v1/wrong/tells' },
      handle({ body }, { world, conclude }) {
        const record = { table: 'events', scope: 'platform', subject: 'x', body: { message: body.password } }
        return conclude(changeSet(world).record(record), isFine)
      },
    }),
    'no answer: GET /v1/wrong/lines': route({
      ...{ ...open, method: 'GET', path: '/v1/wrong/lines', replies: fine },
      handle: () => ({
        type: 'application/json',
        lines: (async function* () {
          yield '{'
          throw new Error('half way')
        })(),
      }),
    }),
  }
}
