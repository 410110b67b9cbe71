import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandPath, makeSshKey, startSshd, temporaryDirectory, testWith } from '@stead/testing'
import { expect, test } from 'vitest'
import { unsealLaunch } from '../servers/launch-content.ts'
import { InstanceHouse, machine, services } from './tests/house.ts'
import { sshdTrusting } from './user-data.ts'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@home'
const authorities = '/v1/projects/acme%2Fshop/ssh-authorities'

async function open() {
  const house = await InstanceHouse.open()
  await house.house.must(201, 'POST', authorities, { body: { name: 'ours', spec: { managed: true } } })
  await house.house.must(201, 'POST', authorities, { body: { name: 'theirs', spec: { publicKey } } })
  return house
}

test('a key is signed for one machine and one user, for a short while, and that is told', async () => {
  const house = await open()
  const { metadata, status } = await house.running('vm-1', machine({ sshAuthority: 'ours' }))
  const signed = await house.must(200, 'POST', '/vm-1/ssh-key', {
    body: { publicKey, user: 'debian', expiresIn: '5m' },
  })
  expect(signed).toMatchObject({
    user: 'debian',
    principals: [`${metadata.id}/debian`],
    addresses: [...status.addresses.public, ...status.addresses.private],
  })
  expect(Date.parse(signed.validBefore) - Date.parse(signed.validAfter)).toBe(6 * 60_000)
  expect(await house.events('vm-1')).toContain('KeySigned')
  // What is not changed wakes nobody, and webhooks would tell of it much later.
  expect((await house.must(200, 'GET', '/vm-1')).metadata.revision).toBeGreaterThan(metadata.revision)
  const { items } = await house.house.must(200, 'GET', '/v1/organizations/acme/audit?action=instances:credentials')
  expect(items[0]).toMatchObject({ result: 'done', object: { id: metadata.id } })
})

test('whoever cannot be let in is told why, and what to do', async () => {
  const house = await open()
  await house.running('web-1', services())
  await house.running('plain', machine())
  await house.running('ext', machine({ sshAuthority: 'theirs' }))
  const refused = async (status: number, name: string, body: object) =>
    (await house.must(status, 'POST', `/${name}/ssh-key`, { body })) as {
      code: string
      suggestion: string
      errors: { path: string }[]
    }
  expect(await refused(409, 'web-1', { publicKey })).toMatchObject({ code: 'invalid_state' })
  expect(await refused(409, 'plain', { publicKey })).toMatchObject({ code: 'invalid_state' })
  const { code, suggestion } = await refused(409, 'ext', { publicKey, user: 'debian' })
  expect({ code, suggestion }).toEqual({
    code: 'conflict',
    suggestion: expect.stringContaining('ssh-keygen -s <authority key> -I <who you are> -n debian -V +15m'),
  })
  const wrong = [
    [{ publicKey: 'ssh-ed25519 nonsense' }, '/publicKey'],
    [{ publicKey, expiresIn: '25h' }, '/expiresIn'],
  ] as const
  for (const [body, path] of wrong)
    expect((await refused(422, 'ext', body)).errors).toEqual([expect.objectContaining({ path })])
})

testWith('openssh', 'a real sshd that was told what the machine is told lets in just that', async () => {
  const house = await open()
  const sshAuthority = 'ours'
  const [one, other] = await Promise.all([
    house.running('vm-1', machine({ sshAuthority })),
    house.running('vm-2', machine({ sshAuthority })),
  ])
  const { sealer } = house.house.registering()
  const server = house.serversOf(one.metadata.id)[0]!
  const launch = await unsealLaunch({ store: house.house.store, sealer }, server, server.spec.launch.sealed)
  const told = Buffer.from((launch.source as { userData: Uint8Array }).userData).toString()
  const [key, config] = [...told.matchAll(/content: (".*")/g)].map(found => JSON.parse(found[1]!) as string)
  expect(config).toBe(sshdTrusting({ publicKey: key!, instanceId: one.metadata.id }, '/etc/ssh/stead-authority.pub'))
  const sshd = await startServer(key!, config!)
  const me = userInfo().username
  const login = async (name: string, user: string) => {
    const body = { publicKey: readFileSync(`${sshd.identity}.pub`, 'utf8'), user }
    const { certificate } = await house.must(200, 'POST', `/${name}/ssh-key`, { body })
    writeFileSync(`${sshd.identity}-cert.pub`, `${certificate}\n`)
    return sshd.login()
  }
  expect(await login('vm-1', me)).toBe('hello from inside\n')
  expect(await login('vm-1', 'somebody-else')).toBe('refused')
  expect(await login('vm-2', me)).toBe('refused')
  expect(other.metadata.id).not.toBe(one.metadata.id)
})

/** A server that was told that, and someone with a key who comes to it. */
async function startServer(authority: string, config: string) {
  const identity = join(temporaryDirectory(), 'id')
  makeSshKey(identity)
  const settings = (file: string) => config.replace('/etc/ssh/stead-authority.pub', file)
  const port = await startSshd({ authority, settings })
  const options = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'BatchMode=yes']
  const login = () =>
    promisify(execFile)(
      commandPath('openssh', 'ssh'),
      ['-F', 'none', '-i', identity, '-p', String(port), ...options.flatMap(option => ['-o', option])].concat(
        '127.0.0.1',
        'echo hello from inside',
      ),
      { encoding: 'utf8', env: { PATH: process.env.PATH } },
    ).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => (stderr.includes('Permission denied') ? 'refused' : stderr),
    )
  return { identity, login }
}
