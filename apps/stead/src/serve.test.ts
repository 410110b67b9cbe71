import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeWith, fillDisk, freePort, loopFilesystem, temporaryDirectory } from '@stead/testing'
import { describe, expect, test } from 'vitest'
import { makeCertificate } from './tests/certificate.ts'
import { Program } from './tests/program.ts'
import { readVersion } from './version.ts'

const anyPort = ['--listen', '127.0.0.1:0']

/** A running `stead serve` on a free port, and its URL. */
async function serving(...args: string[]) {
  const program = new Program(['serve', ...anyPort, '--data', join(temporaryDirectory(), 'data'), ...args])
  return { program, url: await program.listening() }
}

/** A request whose headers have begun and not ended: the server must wait for it. */
async function beginRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  await once(socket, 'connect')
  socket.write('GET /healthz HTTP/1.1\r\nHost: stead\r\n')
  // Nothing tells us that the server has read it; a request that does get an answer was read after it.
  await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  return socket
}

async function ending(...args: string[]) {
  const program = new Program(['serve', ...args])
  const { code } = await program.exited
  return { code, stderr: program.stderr }
}

describe('serving', () => {
  test('answers health, readiness and version, and says where it listens and keeps its data', async () => {
    const { program, url } = await serving()
    const [health, ready, shown] = await Promise.all(
      ['healthz', 'readyz', 'version'].map(path => fetch(`${url}/${path}`)),
    )
    expect(health!.status).toBe(200)
    expect(ready!.status).toBe(200)
    expect(await ready!.json()).toEqual({ status: 'ready' })
    expect(await shown!.json()).toEqual(readVersion({}))
    expect(program.stdout).toMatch(/^Stead \S+ is listening on http:\/\/127\.0\.0\.1:\d+\nIts data is in .+\/data\n/)
  })

  test('describes its whole API, for people and for programs', async () => {
    const { url } = await serving()
    const [page, document] = await Promise.all(['docs', 'openapi.json'].map(path => fetch(`${url}/${path}`)))
    expect(page!.status).toBe(200)
    expect(await page!.text()).toContain('/v1/organizations')
    expect(document!.status).toBe(200)
    expect(await document!.json()).toMatchObject({
      openapi: '3.1.0',
      info: { version: readVersion({}).version },
      paths: { '/v1/whoami': expect.anything() },
    })
  })

  test('shows its metrics as OpenMetrics, those of routes nobody asked for too', async () => {
    const { url } = await serving()
    await fetch(`${url}/healthz`)
    await fetch(`${url}/${'no'.repeat(10)}`)
    const answer = await fetch(`${url}/metrics`)
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(text.endsWith('\n# EOF\n')).toBe(true)
    const lines = text.split('\n')
    expect(lines).toContain('stead_http_answers_total{method="GET",route="/healthz",class="2xx"} 1')
    expect(lines).toContain('stead_http_answers_total{method="GET",route="/version",class="2xx"} 0')
    expect(lines).toContain('stead_http_answers_total{method="",route="",class="4xx"} 1')
    expect(text).not.toContain('nono')
    const memory = Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])
    expect(memory).toBeGreaterThan(10_000_000)
    expect(text).toMatch(/^stead_event_loop_lag_seconds\{quantile="0.99"\} \d/m)
    expect(Number(/^process_cpu_seconds_total (.+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  })

  test('makes its data directory for itself alone', async () => {
    const data = join(temporaryDirectory(), 'deep', 'data')
    const program = new Program(['serve', ...anyPort, '--data', data])
    await program.listening()
    expect(statSync(data).mode & 0o777).toBe(0o700)
  })
})

describe('stopping', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it well', async signal => {
    const { program } = await serving()
    program.process.kill(signal)
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(program.stderr).toContain('"msg":"stopped"')
  })

  test('finishes what was begun and accepts nothing new', async () => {
    const { program, url } = await serving()
    const begun = await beginRequest(url)
    program.process.kill('SIGTERM')
    await program.logs('stopping')
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused')
    begun.write('\r\n')
    const [answer] = await once(begun, 'data')
    expect(answer).toMatch(/^HTTP\/1\.1 /)
    expect(await program.exited).toEqual({ code: 0, signal: null })
  })

  test('the same wish twice, as npm passes Ctrl-C on, is one wish', async () => {
    const { program, url } = await serving()
    const begun = await beginRequest(url)
    program.process.kill('SIGINT')
    await program.logs('stopping')
    program.process.kill('SIGINT')
    begun.write('\r\n')
    expect(await program.exited).toEqual({ code: 0, signal: null })
  })

  test('a second signal ends it at once', async () => {
    const { program, url } = await serving()
    await beginRequest(url)
    program.process.kill('SIGTERM')
    await program.logs('stopping')
    await sleep(600)
    program.process.kill('SIGTERM')
    expect(await program.exited).toEqual({ code: 143, signal: null })
  })
})

describe('refusing to start', () => {
  test('an address in use', async () => {
    const { url } = await serving()
    const { code, stderr } = await ending('--listen', new URL(url).host, '--data', temporaryDirectory())
    expect(code).toBe(15)
    expect(stderr).toContain(`${new URL(url).host} is in use`)
    expect(stderr).toContain('choose another address with --listen')
  })

  test('an address this machine does not have', async () => {
    const { code, stderr } = await ending(
      '--listen',
      '192.0.2.1:7400',
      '--behind-proxy',
      '--data',
      temporaryDirectory(),
    )
    expect(code).toBe(2)
    expect(stderr).toContain('cannot listen on 192.0.2.1:7400 (set in --listen)')
  })

  test('a data directory that cannot be one', async () => {
    const file = join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    const { code, stderr } = await ending(...anyPort, '--data', join(file, 'data'))
    expect(code).toBe(10)
    expect(stderr).toContain(`the data directory ${join(file, 'data')} cannot be written`)
    expect(stderr).toContain('choose another with --data')
  })

  test('a store that another one has open', async () => {
    const data = join(temporaryDirectory(), 'data')
    const first = await serving('--data', data)
    const { code, stderr } = await ending(...anyPort, '--data', data)
    expect(code).toBe(11)
    expect(stderr).toContain('in use by another process')
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  })

  test('a store that is damaged, or that a newer version wrote, and leaves both as they are', async () => {
    const data = temporaryDirectory()
    const file = join(data, 'stead.db')
    const header = Buffer.alloc(4_096)
    header.write('SQLite format 3\0')
    header.writeUInt32BE(9_999, 60)
    header.write('STED', 68)
    for (const [bytes, expected] of [
      [Buffer.from('not a database'.repeat(100)), 12],
      [header, 14],
    ] as const) {
      writeFileSync(file, bytes)
      expect((await ending(...anyPort, '--data', data)).code).toBe(expected)
      expect(readFileSync(file)).toEqual(bytes)
    }
  })

  test('a bad setting, without a stack of code', async () => {
    const { code, stderr } = await ending('--listen', 'nowhere')
    expect(code).toBe(2)
    expect(stderr).toBe(
      'stead: listen (set in --listen) must be host:port, such as 127.0.0.1:7400 or [::1]:7400, not "nowhere"\n',
    )
  })

  test('a flag it does not know', async () => {
    const { code, stderr } = await ending('--lisen', '127.0.0.1:0')
    expect(code).toBe(2)
    expect(stderr).toContain("unknown option '--lisen'")
  })

  test('a database that nobody answers for, without saying its password', async () => {
    const url = `postgres://stead:secret@127.0.0.1:${await freePort()}/stead`
    const { code, stderr } = await ending(...anyPort, '--data', temporaryDirectory(), '--database', url)
    expect(code).toBe(16)
    expect(stderr).toContain('the database cannot be reached')
    expect(stderr).not.toContain('secret')
  })

  describeWith('loop filesystem', 'a disk', () => {
    test('that is full', async () => {
      const disk = loopFilesystem(1)
      const data = join(disk, 'data')
      mkdirSync(data)
      fillDisk(disk)
      const { code, stderr } = await ending(...anyPort, '--data', data)
      expect(code).toBe(13)
      expect(stderr).toContain(`no space is left for the data directory ${data}`)
      expect(stderr).toContain('free space')
    })
  })
})

describeWith('openssl', 'TLS', () => {
  const get = (url: string, ca: Buffer) =>
    new Promise<number | undefined>((resolve, reject) =>
      request(`${url}/healthz`, { ca, servername: 'localhost' }, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end(),
    )

  test('serves HTTPS with the certificate it was given', async () => {
    const { certFile, keyFile, cert } = makeCertificate()
    const { url } = await serving('--tls-cert', certFile, '--tls-key', keyFile)
    expect(url).toMatch(/^https:/)
    expect(await get(url, cert)).toBe(200)
    await expect(get(url, makeCertificate().cert)).rejects.toThrow('self-signed')
  })

  test('refuses a key that is not the certificate’s', async () => {
    const { certFile } = makeCertificate()
    const { keyFile } = makeCertificate()
    const { code, stderr } = await ending(
      ...['--listen', '127.0.0.1:0', '--data', temporaryDirectory()],
      ...['--tls-cert', certFile, '--tls-key', keyFile],
    )
    expect(code).toBe(2)
    expect(stderr).toContain(`--tls-key (${keyFile})`)
  })

  test('refuses a certificate that is not there', async () => {
    const { keyFile } = makeCertificate()
    const { code, stderr } = await ending(...anyPort, '--tls-cert', '/nowhere.pem', '--tls-key', keyFile)
    expect(code).toBe(2)
    expect(stderr).toContain('--tls-cert cannot be read')
  })
})
