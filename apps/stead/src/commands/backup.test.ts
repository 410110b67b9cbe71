import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from '../tests/program.ts'

async function stead(...args: string[]) {
  const program = new Program(args)
  const { code } = await program.exited
  return { code, stdout: program.stdout, stderr: program.stderr }
}

async function serving(data: string) {
  const program = new Program(['serve', '--listen', '127.0.0.1:0', '--data', data])
  await program.listening()
  return {
    program,
    async stop() {
      program.process.kill('SIGINT')
      await program.exited
    },
  }
}

/** The key of a store is never in its backup: whoever restores one brings it along. */
const bringKey = (from: string, to: string) => copyFileSync(join(from, 'seal.key'), join(to, 'seal.key'))

test('a backup taken while it runs is restored as a new epoch that only observes, until it is resumed', async () => {
  const here = temporaryDirectory()
  const [data, restored, file] = [join(here, 'data'), join(here, 'restored'), join(here, 'backup')]
  const running = await serving(data)
  const backup = await stead('backup', file, '--data', data, '--json')
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(backup.stdout)).toMatchObject({ path: file, epoch: 1, revision: expect.any(Number) })
  await running.stop()

  expect(await stead('restore', file, '--data', restored)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('as epoch 2'),
  })
  bringKey(data, restored)
  const copy = await serving(restored)
  await copy.program.logs('this store was restored or copied: .* until `stead resume`')
  expect(await stead('resume', '--data', restored)).toMatchObject({ code: 0, stdout: 'Resumed: Stead acts again\n' })
  await copy.stop()
  const again = await serving(restored)
  await again.program.logs('serving')
  expect(again.program.stderr).toContain('"epoch":2,"observeOnly":false')
}, 60_000)

test('a backup needs no running Stead, and neither does resuming', async () => {
  const here = temporaryDirectory()
  const [data, restored, file] = [join(here, 'data'), join(here, 'restored'), join(here, 'backup')]
  await (await serving(data)).stop()
  expect(await stead('backup', file, '--data', data)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Backed up revision \d+ to /),
  })
  await stead('restore', file, '--data', restored)
  expect((await stead('resume', '--data', restored)).code).toBe(0)
  bringKey(data, restored)
  const { program } = await serving(restored)
  await program.logs('serving')
  expect(program.stderr).toContain('"epoch":2,"observeOnly":false')
}, 60_000)

test('nothing is overwritten: not a file by a backup, not a directory by a restore', async () => {
  const here = temporaryDirectory()
  const [data, file] = [join(here, 'data'), join(here, 'backup')]
  await (await serving(data)).stop()
  writeFileSync(file, 'precious')
  expect(await stead('backup', file, '--data', data)).toMatchObject({ code: 17, stderr: expect.stringContaining(file) })
  expect(readFileSync(file, 'utf8')).toBe('precious')

  const good = join(here, 'good')
  await stead('backup', good, '--data', data)
  const refused = await stead('restore', good, '--data', data)
  expect(refused).toMatchObject({ code: 10, stderr: expect.stringContaining('is not empty') })
}, 60_000)

test('a mistyped data directory does not become a store', async () => {
  const here = temporaryDirectory()
  const typo = join(here, 'dta')
  mkdirSync(join(here, 'data'))
  for (const command of [['backup', join(here, 'backup')], ['resume']])
    expect(await stead(...command, '--data', typo)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`there is no store in ${typo}`),
    })
  expect(existsSync(typo)).toBe(false)
})

test('a backup that was changed is not restored', async () => {
  const here = temporaryDirectory()
  const [data, restored, file] = [join(here, 'data'), join(here, 'restored'), join(here, 'backup')]
  await (await serving(data)).stop()
  await stead('backup', file, '--data', data)
  const bytes = readFileSync(file)
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(file, bytes)
  expect(await stead('restore', file, '--data', restored)).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('not what its manifest says'),
  })
  expect(existsSync(join(restored, 'stead.db'))).toBe(false)
}, 60_000)
