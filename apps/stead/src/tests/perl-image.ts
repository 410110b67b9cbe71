import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect } from 'vitest'
import type { OwnMachine } from './own-machine.ts'

const images = '/v1/projects/default%2Fdefault/images'

const linesOf = (program: string, args: readonly string[]): string[] =>
  execFileSync(program, args, { encoding: 'utf8' }).split('\n').filter(Boolean)

/** A root file system in which this machine's Perl serves HTTP, and nothing else is but a file `/page`. */
function perlArchive(page: string): Buffer {
  const loaded = 'print "$_\\n" for $^X, grep { m{^/} } values %INC, @DynaLoader::dl_shared_objects'
  const [perl, ...modules] = linesOf('perl', ['-MIO::Socket::INET', '-MDynaLoader', '-e', loaded])
  const binaries = [perl!, ...modules.filter(path => path.endsWith('.so'))]
  const libraries = linesOf('ldd', binaries).flatMap(line => line.match(/(\/\S+) \(/)?.[1] ?? [])
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'page'), page)
  const rename = ['--transform', `s,^${perl!.slice(1)}$,usr/bin/perl,`]
  const files = [...new Set([...binaries, ...modules, ...libraries])].map(path => path.slice(1))
  return execFileSync('tar', ['-c', '-h', ...rename, '-C', '/', ...files, '-C', directory, 'page'], {
    maxBuffer: 2 ** 28,
  })
}

/** Uploads an image whose `/page` says this, and waits until services can be made of it. */
export async function bringPerlImage(machine: OwnMachine, name: string, page: string): Promise<void> {
  const content = perlArchive(page)
  const upload = { sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  const announced = await machine.ask('POST', images, { name, spec: { region: 'local', source: { upload } } })
  expect(announced, JSON.stringify(announced.body)).toMatchObject({ status: 201 })
  const headers = { ...machine.credentials, 'content-type': 'application/octet-stream' }
  const body = new Uint8Array(content)
  const sent = await fetch(`${machine.url}${images}/${name}/content`, { method: 'PUT', headers, body })
  expect(sent.status, await sent.text()).toBe(200)
  await machine.until(`the image ${name}`, async () => {
    const found = await machine.ask('GET', `${images}/${name}`)
    return (found.body as { status: { state: string } }).status.state === 'ready' || undefined
  })
}

export async function removeImage(machine: OwnMachine, name: string): Promise<void> {
  expect(await machine.ask('DELETE', `${images}/${name}`)).toMatchObject({ status: 202 })
  const isGone = async () => (await machine.ask('GET', `${images}/${name}`)).status === 404 || undefined
  await machine.until(`the end of the image ${name}`, isGone)
}
