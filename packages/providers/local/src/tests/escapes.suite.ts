import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Isolation } from '../machine/levels.ts'
import { childrenOf } from '../machine/processes.ts'
import { processOf, services, shell, sleeper, TestRegion } from './region.ts'

/** Everything a service may try at the level `isolation`. Each attempt is made from inside, as a tenant would. */
export function escapeTests(isolation: Isolation): void {
  describe(`a service at ${isolation} isolation`, () => {
    let region: TestRegion
    let data: string
    let server: Server
    let port: number
    let id: string

    beforeAll(async () => {
      // Readable for everybody: what keeps it from services must not be the mode of a file.
      data = mkdtempSync(join(visiblePlace(), 'stead-data-'))
      mkdirSync(join(data, 'inner'), { mode: 0o755 })
      writeFileSync(join(data, 'admin.token'), 'the-token', { mode: 0o644 })
      server = createServer(socket => socket.end('control plane'))
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      port = (server.address() as { port: number }).port
      await new Promise<void>(resolve => createdSocket().listen(join(data, 'admin.sock'), resolve))
      process.env.STEAD_TEST_SECRET = 'in-our-environment'
      region = await TestRegion.open({ isolation, forbidden: { paths: [data], ports: [port] } })
      id = (await region.running(sleeper)).id
    })

    afterAll(async () => {
      await region?.close()
      for (const each of [server, ...sockets]) each?.close()
      rmSync(data, { recursive: true, force: true })
    })

    const sockets: Server[] = []
    const createdSocket = () => {
      const socket = createServer()
      sockets.push(socket)
      return socket
    }
    const inside = async (script: string) => region.exec(id, ['bash', '-c', script])

    test('cannot read the data directory, its tokens or its sockets', async () => {
      const { text } = await inside(
        `cat ${data}/admin.token; ls ${data}; cat ${region.directory}/settings.json; ls ${region.directory}`,
      )
      expect(text).not.toContain('the-token')
      expect(text).not.toContain('admin.sock')
      expect(text).not.toContain('forbidden')
    })

    test('cannot see home directories', async () => {
      const home = process.env.HOME ?? '/root'
      const { text } = await inside(`ls -A ${home} /root /home ${home}/.ssh; cat ${home}/.bashrc`)
      expect(text.replace(/^.*(No such file|cannot access|cannot open|Permission denied).*$/gm, '').trim()).toBe('')
    })

    test('cannot read another instance’s files', async () => {
      const other = await region.running(
        services({ main: shell('echo other-secret > /data/mark-of-other; sleep 600') }),
      )
      await region.eventually('its file', () => readdirSync(region.disk(other.id, 'main')).length > 0 || undefined)
      const { text } = await inside(
        `find / -name mark-of-other 2>/dev/null; cat ${region.disk(other.id, 'main', 'mark-of-other')}`,
      )
      expect(text).not.toContain('other-secret')
      expect(text).not.toMatch(/^\/.*mark-of-other$/m)
    })

    test('cannot see or signal other processes', async () => {
      const other = await region.running(services({ main: shell('exec sleep 54321') }))
      const pid = processOf(region, other.id)
      const own = await region.running(sleeper)
      const { text } = await region.exec(own.id, [
        ...['bash', '-c'],
        `cat /proc/[0-9]*/cmdline | tr '\\0' ' '; for p in ${pid} ${process.pid}; do kill -9 $p; done; kill -9 -1`,
      ])
      expect(text).not.toContain('54321')
      expect(text).not.toContain('vitest')
      expect((await region.provider.describe(other.id)).state).toBe('running')
      expect(processOf(region, other.id)).toBe(pid)
    })

    test('cannot reach the control plane’s port or a metadata address', async () => {
      const own = await region.running(sleeper)
      const { text } = await region.exec(own.id, [
        ...['bash', '-c'],
        `for where in 127.0.0.1/${port} 169.254.169.254/80; do (exec 3<>/dev/tcp/$where && cat <&3 && echo reached $where); done`,
      ])
      expect(text).not.toContain('control plane')
      expect(text).not.toContain('reached')
    })

    test('inherits nothing of our environment, and no open file', async () => {
      const own = await region.running(
        services({ main: shell('env; echo files: $(ls /proc/self/fd | wc -l); sleep 600') }),
      )
      const text = await region.printed(own.id, 'files')
      expect(text).not.toContain('in-our-environment')
      // Standard input, output and error, and the directory that ls itself reads.
      expect(text).toContain('files: 4')
      expect((await inside('env')).text).not.toContain('in-our-environment')
    })

    test('has no rights on the machine', async () => {
      const own = await region.running(sleeper)
      const first = processOf(region, own.id)
      // It is there from its first moment on, and a moment later is the program that was asked for.
      const status = await region.eventually('its program', () => {
        const text = readFileSync(`/proc/${childrenOf(first)[0]}/status`, 'utf8')
        return text.startsWith('Name:\tsleep') ? text : undefined
      })
      expect(status).toMatch(/^CapEff:\t0+$/m)
      expect(status).toMatch(/^CapPrm:\t0+$/m)
      expect(status).toMatch(/^NoNewPrivs:\t1$/m)
      if (process.getuid?.() === 0) expect(status).not.toMatch(/^Uid:.*\b0\b/m)
      if (isolation === 'full') expect(status).toMatch(/^Seccomp:\t2$/m)
      const { text } = await region.exec(own.id, [
        'sh',
        '-c',
        'mount -t tmpfs x /tmp && echo mounted; chroot / true && echo rooted',
      ])
      expect(text).not.toMatch(/mounted|rooted/)
    })

    test('has a /tmp of its own', async () => {
      writeFileSync(join(tmpdir(), `stead-outside-${process.pid}`), 'outside')
      const { text } = await inside('ls -A /tmp; touch /tmp/of-mine')
      rmSync(join(tmpdir(), `stead-outside-${process.pid}`))
      expect(text).not.toContain('stead-outside')
      const other = await region.running(sleeper)
      expect((await region.exec(other.id, ['ls', '/tmp'])).text).toBe('')
    })

    test('cannot write to the machine’s files', async () => {
      const { text } = await inside('for f in /usr/x /etc/x /bin/x /x; do touch $f && echo wrote $f; done')
      expect(text).not.toContain('wrote')
    })

    test('a link on its disk leads a config file nowhere', async () => {
      const trap = mkdtempSync(join(tmpdir(), 'stead-trap-'))
      const main = shell(`rm -rf /data/conf; ln -s ${trap} /data/conf; echo laid; sleep 600`, {
        files: [{ path: '/data/conf/app.ini', content: Buffer.from('config'), secret: false }],
      })
      const { id: own } = await region.running(services({ main }))
      await region.printed(own, 'laid')
      await region.provider.stop(own)
      await region.until(own, 'stopped')
      await region.provider.start(own)
      const stopped = await region.until(own, 'stopped')
      expect(stopped.stateReason).toContain('conf')
      expect(readdirSync(trap)).toEqual([])
      rmSync(trap, { recursive: true })
    })
  })
}

/** A directory that services with the image `host` do see, where we may write one; else any. */
function visiblePlace(): string {
  return process.getuid?.() === 0 ? '/opt' : tmpdir()
}
