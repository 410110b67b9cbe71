import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from './tests/program.ts'

const tellLoaded = new URL('./tests/tell-loaded.mjs', import.meta.url).href

/** Memory and time of every start, for what most installations never use, or what is loaded when it is. */
const tooHeavy = {
  'what reads TypeScript, where everything was compiled before': /deps\/amaro\//,
  'undici: an import of node:http as a value brings it along; take it from process.getBuiltinModule': /deps\/undici\//,
  'TypeBox: Type is in packages/control/src/schema/type.ts, and what checks values is loaded with the first one':
    /\/typebox\/build\//,
  'schema compilers of Fastify': /\/ajv\//,
  'what reads tokens of identity providers': /\/jose\//,
  'the client of PostgreSQL': /\/pg\//,
  'what reads YAML': /\/yaml\//,
  'what speaks WebSocket': /\/ws\//,
  'what records traces': /\/traces\/(open|exporter|post)\.|\/tracing\/tracer\./,
}

test('a start loads nothing heavy that it does not use', async () => {
  const start = async () => {
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', join(temporaryDirectory(), 'data')]
    const program = new Program(args, { env: { NODE_OPTIONS: `--import ${tellLoaded}`, STEAD_FIND_REGIONS: 'true' } })
    await program.listening()
    program.process.kill('SIGINT')
    await program.exited
    return /^loaded (.*)$/m.exec(program.stderr)![1]!.split(' ')
  }
  // The first may be the one that compiles.
  await start()
  const loaded = await start()
  expect(loaded).toContainEqual(expect.stringContaining('/fastify/'))
  for (const [what, pattern] of Object.entries(tooHeavy))
    expect(loaded.filter(name => pattern.test(name)).slice(0, 3), what).toEqual([])
}, 60_000)

test('help loads what describes commands, and nothing that any of them does', async () => {
  const told = new Program(['--help'], { env: { NODE_OPTIONS: `--import ${tellLoaded}` } })
  expect((await told.exited).code).toBe(0)
  const loaded = /^loaded (.*)$/m
    .exec(told.stderr)![1]!
    .split(' ')
    .filter(name => name.startsWith('file:'))
  expect(loaded).toContainEqual(expect.stringContaining('/commander/'))
  const described = /\/(commander|packages\/world)\/|\/apps\/stead\/src\/(cli\/|configuration\/|tests\/|[a-z-]+\.\w+$)/
  // How a refusal is told is looked up by name, so that nothing that can be refused is loaded for it.
  const rest = loaded.filter(name => !described.test(name) && !name.endsWith('/client/explain-refusal.ts'))
  expect(rest).toEqual([])
  expect(loaded.filter(name => /\/yaml\/|\/(serve|store|parts)\.ts$/.test(name))).toEqual([])
}, 60_000)

test('what the first start compiled is kept while it runs, so that a kill does not cost it', async () => {
  const compiled = temporaryDirectory()
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', join(temporaryDirectory(), 'data')]
  const program = new Program(args, { env: { NODE_COMPILE_CACHE: compiled } })
  await program.listening()
  const kept = () => readdirSync(compiled, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  await expect.poll(() => kept().length, { timeout: 20_000 }).toBeGreaterThan(100)
}, 60_000)
