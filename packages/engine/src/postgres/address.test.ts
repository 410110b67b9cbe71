import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostName, parseDatabaseUrl } from './address.ts'

test('reads everything a URL can say', () => {
  const address = parseDatabaseUrl('postgresql://ada:s%40e%3Acret@db1:6000,[::1]:6001,db3/stead%20db?sslmode=require')
  expect(address).toMatchObject({
    hosts: [
      { host: 'db1', port: 6000 },
      { host: '::1', port: 6001 },
      { host: 'db3', port: 5432 },
    ],
    user: 'ada',
    database: 'stead db',
    tls: { rejectUnauthorized: false },
  })
  expect(address.password()).toBe('s@e:cret')
  expect(address.hosts.map(hostName)).toEqual(['db1:6000', '[::1]:6001', 'db3:5432'])
})

test('a socket, and what stands in parameters', () => {
  const address = parseDatabaseUrl('postgres:///?host=/run/postgresql&port=5433&user=ada&dbname=stead&password=x')
  expect(address).toMatchObject({ hosts: [{ host: '/run/postgresql', port: 5433 }], user: 'ada', database: 'stead' })
  expect(address.tls).toBe(false)
  expect(hostName(address.hosts[0]!)).toBe('/run/postgresql')
})

test('what leaves the machine goes to a server that has proven who it is, unless told otherwise', () => {
  const tls = (url: string) => parseDatabaseUrl(url).tls
  for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(tls(`postgres://${host}/x`)).toBe(false)
  expect(tls('postgres://db.example/x')).toEqual({ rejectUnauthorized: true })
  expect(tls('postgres://localhost,db.example/x')).toEqual({ rejectUnauthorized: true })
  expect(tls('postgres://db.example/x?sslmode=disable')).toBe(false)
  expect(tls('postgres://db.example/x?sslmode=verify-ca')).toMatchObject({ rejectUnauthorized: true })
})

test('no mistake and no inspection shows the password', () => {
  const secret = 'hunter2'
  for (const url of [
    `mysql://ada:${secret}@db/x`,
    `postgres://ada:${secret}@db:0/x`,
    `postgres://ada:${secret}%zz@db/x`,
    `postgres://ada:${secret}@db/x?sslmode=maybe`,
    `postgres://ada:${secret}@db/x?pass=${secret}`,
    `postgres://ada:${secret}@:5432,/x`,
  ])
    expect(() => parseDatabaseUrl(url).password()).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    )
  expect(inspect(parseDatabaseUrl(`postgres://ada:${secret}@db/x`), { depth: 9, showHidden: true })).not.toContain(
    secret,
  )
})

test('any user, password and database survive', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), fc.string(), (user, password, database) => {
      const [u, p, d] = [user, password, database].map(encodeURIComponent)
      const address = parseDatabaseUrl(`postgres://${u}:${p}@db/${d}`)
      expect([address.user, address.password() ?? '', address.database ?? '']).toEqual([user, password, database])
    }),
  ))
