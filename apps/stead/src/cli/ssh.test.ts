import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { commandPath, describeWith, makeSshKey, startSshd, testWith } from '@stead/testing'
import { expect } from 'vitest'
import { Desk } from '../tests/desk.ts'

const externalKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

/** A machine that trusts an authority of ours, one that trusts somebody else's, and what answers as the first. */
async function machines() {
  const desk = await Desk.withStead()
  desk.env.TMPDIR = join(desk.directory, 'tmp')
  mkdirSync(desk.env.TMPDIR)
  const machine = (name: string, sshAuthority: string) => `---
kind: instance
metadata: { name: ${name} }
spec: { region: simulated, source: { machine: { flavor: small, image: minimal, network: n1, sshAuthority: ${sshAuthority} } } }
`
  desk.write(
    'machines.yaml',
    `kind: network
metadata: { name: n1 }
spec: { region: simulated, cidr: 10.20.0.0/24 }
---
kind: ssh-authority
metadata: { name: ours }
spec: { managed: true }
---
kind: ssh-authority
metadata: { name: theirs }
spec: { publicKey: ${externalKey} }
${machine('vm', 'ours')}${machine('other', 'theirs')}`,
  )
  const applied = await desk.run('apply', '-f', 'machines.yaml')
  expect(applied, applied.stderr).toMatchObject({ code: 0 })
  const read = async (kind: string, name: string) =>
    JSON.parse((await desk.run('get', kind, name, '-o', 'json')).stdout)
  const { status } = await read('ssh-authority', 'ours')
  const { metadata } = await read('instance', 'vm')
  const port = await startSshd({
    authority: `${status.publicKey}\n`,
    settings: file =>
      `TrustedUserCAKeys ${file}\nAuthorizedPrincipalsCommand /bin/echo ${metadata.id}/%u\nAuthorizedPrincipalsCommandUser nobody`,
  })
  const { username } = userInfo()
  // The addresses of simulated machines are nowhere.
  const login = ['ssh', 'vm', '--user', username, '--address', '127.0.0.1', '--port', String(port)]
  return { desk, login, id: metadata.id as string }
}

describeWith('openssh', 'a machine that trusts an authority', () => {
  testWith(
    'python',
    'is logged in to with a key made for one login, known by its id, and says why it lets nobody in',
    async () => {
      const { desk, login, id } = await machines()
      const unknown = await desk.run(...login, '--', 'true')
      expect(unknown, 'nobody is there to say whether its key is right').toMatchObject({
        code: 255,
        stderr: expect.stringContaining('Host key verification failed'),
      })
      const terminal = desk.terminal(login)
      await terminal.shows(/continue connecting/)
      terminal.type('yes\r')
      await terminal.shows(/Permanently added/)
      terminal.type('echo in a $(test -t 0 && echo terminal); exit 3\r')
      expect(await terminal.exited, terminal.text).toBe(3)
      expect(terminal.text).toContain('in a terminal')
      const known = join(desk.directory, 'home/.config/stead/known_hosts')
      const found = execFileSync(commandPath('openssh', 'ssh-keygen'), ['-F', id, '-f', known], { encoding: 'utf8' })
      expect(found).toContain(`# Host ${id} found`)

      const said = await desk.run(...login, '--', 'echo inside; echo beside >&2; exit 7')
      expect(said).toEqual({ code: 7, stdout: 'inside\n', stderr: 'beside\n' })
      expect((await desk.run('events', 'vm')).stdout).toMatch(/KeySigned +admin may log in as/)
      makeSshKey(join(desk.directory, 'my key'))
      const own = await desk.run(...login, '--identity', join(desk.directory, 'my key'), '--', 'echo', 'mine')
      expect(own, own.stderr).toMatchObject({ code: 0, stdout: 'mine\n' })
      expect(readdirSync(desk.env.TMPDIR!), 'no key is left').toEqual([])

      // Another server at the same place is not taken for this machine.
      const port = await startSshd({ authority: externalKey, settings: file => `TrustedUserCAKeys ${file}` })
      const impostor = await desk.run(...login.slice(0, -1), String(port), '--accept-new', '--', 'true')
      expect(impostor).toMatchObject({ code: 255, stderr: expect.stringContaining('HOST IDENTIFICATION HAS CHANGED') })

      expect(await desk.run('ssh', 'other', '--user', 'debian')).toMatchObject({
        code: 20,
        stderr: expect.stringMatching(/ssh-keygen -s <authority key> [\s\S]*ssh debian@10\.20\.0\.\d+\n$/),
      })
      await desk.run('run', 'web', '--region', 'simulated', '--no-wait', '--', 'x')
      expect(await desk.run('ssh', 'web')).toMatchObject({ code: 20, stderr: expect.stringContaining('exec') })
      const missing = await desk.run('ssh', 'vm', '--identity', 'nowhere')
      expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
    },
    120_000,
  )
})
