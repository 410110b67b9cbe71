import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { days, seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { loadConfiguration } from './load.ts'
import { isLoopback, parseListen } from './settings.ts'
import type { Flags } from './sources.ts'

const directory = '/srv'
const load = (flags: Flags, env: NodeJS.ProcessEnv = {}) => loadConfiguration({ flags, env, directory })

/** Loads with this text in a file that --config names. */
function loadFile(text: string, { flags = {}, env = {} }: { flags?: Flags; env?: NodeJS.ProcessEnv } = {}) {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'etc'))
  writeFileSync(join(home, 'etc', 'stead.yaml'), text)
  return {
    home,
    loaded: loadConfiguration({ flags: { config: 'etc/stead.yaml', ...flags }, env, directory: home }),
  }
}

test('with nothing said, it is one process on loopback with its data beside it', async () =>
  expect(await load({})).toEqual({
    listen: { host: '127.0.0.1', port: 7400 },
    listenOrigin: 'the default',
    data: '/srv/.stead',
    behindProxy: false,
    outgoingAllow: [],
    staging: '/srv/.stead/staging',
    imageLimit: 20 * 2 ** 30,
    sealKeys: { olderKeys: [] },
    findRegions: true,
    simulatedRegion: false,
    auditRetention: days(400),
    metricsInterval: seconds(15),
    logLevel: 'info',
  }))

describe('precedence', () => {
  const file = 'listen: 127.0.0.1:3\n'
  const env = { STEAD_LISTEN: '127.0.0.1:2' }
  const flags = { listen: '127.0.0.1:1' }

  test('a flag wins over a variable, that over the file, that over the default', async () => {
    expect((await loadFile(file, { env, flags }).loaded).listen.port).toBe(1)
    expect((await loadFile(file, { env }).loaded).listen.port).toBe(2)
    expect((await loadFile(file).loaded).listen.port).toBe(3)
    expect((await loadFile('').loaded).listen.port).toBe(7400)
  })

  test('an empty variable is as good as none', async () =>
    expect((await load({}, { STEAD_LISTEN: '' })).listen.port).toBe(7400))

  test('the file itself can be named by a variable', async () => {
    const { home } = loadFile(file)
    const env = { STEAD_CONFIG: 'etc/stead.yaml' }
    expect((await loadConfiguration({ flags: {}, env, directory: home })).listen.port).toBe(3)
  })
})

test('a relative path is meant from where it was written', async () => {
  expect((await load({ data: 'd' })).data).toBe('/srv/d')
  const { home, loaded } = loadFile('data: d\n')
  expect((await loaded).data).toBe(join(home, 'etc', 'd'))
})

test('every setting can be written in the file', async () => {
  const key = (letter: string) => `${letter.repeat(43)}=`
  const { home, loaded } = loadFile(
    'listen: "[::]:80"\ndata: /d\ndatabase: postgres://db/stead\ntlsCert: c.pem\ntlsKey: k.pem\nbehindProxy: true\n' +
      'publicUrl: https://stead.example\noidc: o.yaml\noutgoingAllow: 10.1.0.0/16,fd00::/8\nlogLevel: warn\n' +
      `sealKey: ${key('a')}\nolderSealKeys: ${key('b')},${key('c')}\nauditRetention: 90d\nmetricsInterval: 30s\n` +
      'findRegions: false\nsimulatedRegion: true\nstaging: s\nimageLimit: 500MiB\n',
  )
  expect(await loaded).toEqual({
    listen: { host: '::', port: 80 },
    listenOrigin: 'etc/stead.yaml line 1',
    data: '/d',
    database: { url: 'postgres://db/stead', schema: 'stead', poolSize: 8 },
    tls: { certFile: join(home, 'etc', 'c.pem'), keyFile: join(home, 'etc', 'k.pem') },
    behindProxy: true,
    publicUrl: 'https://stead.example',
    oidc: join(home, 'etc', 'o.yaml'),
    outgoingAllow: ['10.1.0.0/16', 'fd00::/8'],
    staging: join(home, 'etc', 's'),
    imageLimit: 500 * 2 ** 20,
    sealKeys: { key: key('a'), olderKeys: [key('b'), key('c')] },
    findRegions: false,
    simulatedRegion: true,
    auditRetention: days(90),
    metricsInterval: seconds(30),
    logLevel: 'warn',
  })
})

describe('what is wrong is named with where it was set', () => {
  test.each<[Flags, NodeJS.ProcessEnv, string]>([
    [{ listen: '7400' }, {}, 'listen (set in --listen) must be host:port, such as 127.0.0.1:7400'],
    [{}, { STEAD_LISTEN: '127.0.0.1:65536' }, 'listen (set in STEAD_LISTEN) must be host:port'],
    [{ data: '' }, {}, 'data (set in --data) must be something'],
    [{}, { STEAD_LOG_LEVEL: 'loud' }, 'logLevel (set in STEAD_LOG_LEVEL) must be one of trace, debug'],
    [{}, { STEAD_BEHIND_PROXY: 'yes' }, 'behindProxy (set in STEAD_BEHIND_PROXY) must be one of true, false'],
    [{ publicUrl: 'stead.example' }, {}, 'publicUrl (set in --public-url) must be a URL without a path'],
    [{ publicUrl: 'https://stead.example/x' }, {}, 'must be a URL without a path'],
    [{ outgoingAllow: '10.0.0.0' }, {}, 'outgoingAllow (set in --outgoing-allow) must be ranges such as'],
    [{ outgoingAllow: '10.0.0.0/33' }, {}, 'must be ranges such as'],
    [{}, { STEAD_SEAL_KEY: 'short' }, 'sealKey (set in STEAD_SEAL_KEY) must be base64 of 32 bytes'],
    [{ imageLimit: '0GiB' }, {}, 'imageLimit (set in --image-limit) must be a size, such as 500MiB or 20GiB'],
    [{ auditRetention: 'long' }, {}, 'auditRetention (set in --audit-retention) must be a duration, such as 400d'],
    [{ tlsCert: 'c.pem' }, {}, '--tls-cert is set, --tls-key (STEAD_TLS_KEY) is not'],
    [{}, { STEAD_TLS_KEY: 'k.pem' }, 'STEAD_TLS_KEY is set, --tls-cert (STEAD_TLS_CERT) is not'],
    [{ config: 'none.yaml' }, {}, 'the file that --config names cannot be read'],
  ])('%j %j', async (flags, env, message) =>
    expect(load(flags, env)).rejects.toMatchObject({ reason: 'usage', message: expect.stringContaining(message) }),
  )

  test.each([
    ['data: /d\nlisten: here\n', 'listen (set in etc/stead.yaml line 2) must be host:port'],
    ['lissen: 127.0.0.1:1\n', 'etc/stead.yaml line 1: there is no setting "lissen"; there are listen, data'],
    ['config: other.yaml\n', 'there is no setting "config"'],
    ['listen: [a, b]\n', 'listen (set in etc/stead.yaml line 1) must be a single value'],
    ['listen:\n', 'listen (set in etc/stead.yaml line 1) must be a single value'],
    ['- listen\n', 'etc/stead.yaml must hold settings'],
    ['listen: "\n', 'etc/stead.yaml is not valid YAML'],
    ['data: a\ndata: b\n', 'etc/stead.yaml is not valid YAML'],
  ])('in a file: %j', async (text, message) =>
    expect(loadFile(text).loaded).rejects.toMatchObject({ reason: 'usage', message: expect.stringContaining(message) }),
  )

  test('a database is never shown: it may hold a password', async () => {
    const error: Error = await load({ database: 'mysql://u:secret@h/d' }).catch(error => error)
    expect(error.message).toBe('database (set in --database) must be a URL that starts with postgres://')
  })
})

describe('listening beyond loopback', () => {
  test.each(['0.0.0.0:7400', '[::]:7400', '192.0.2.1:7400', 'stead.example:7400'])(
    '%s needs TLS or a proxy',
    async listen => {
      await expect(load({ listen })).rejects.toThrow('add --tls-cert and --tls-key, or --behind-proxy')
      expect((await load({ listen, behindProxy: true })).behindProxy).toBe(true)
      expect((await load({ listen, tlsCert: '/c', tlsKey: '/k' })).tls).toEqual({ certFile: '/c', keyFile: '/k' })
    },
  )

  test.each(['127.0.0.1:1', '127.1.2.3:1', '[::1]:1', 'localhost:1'])('%s does not', async listen =>
    expect(isLoopback((await load({ listen })).listen)).toBe(true),
  )

  test.each(['127.0.0.1.example:1', '127.example:1'])('%s only looks like loopback', listen =>
    expect(isLoopback(parseListen(listen)!)).toBe(false),
  )
})

test.each(['', ':7400', '127.0.0.1', '127.0.0.1:', '::1:7400', '[::1]', '[host]:1', 'a b:1', 'http://a:1', 'a:-1'])(
  '"%s" is no address to listen on',
  text => expect(parseListen(text)).toBeUndefined(),
)
