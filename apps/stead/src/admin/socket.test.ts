import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askRunning } from './client.ts'
import { type AdminCommands, openAdminSocket } from './server.ts'

async function open(data: string, commands: AdminCommands) {
  const part = await openAdminSocket({ data, log: pino({ level: 'silent' }), commands })
  onTestFinished(() => part.close?.())
}

const deep = () => {
  const directory = join(temporaryDirectory(), 'a'.repeat(120))
  mkdirSync(directory)
  return directory
}

describe.each([
  ['an ordinary directory', temporaryDirectory],
  ['a directory too deep for a socket path', deep],
])('in %s', (_name, directory) => {
  test('a command is answered with what it gives', async () => {
    const data = directory()
    await open(data, { double: async ({ n }) => ({ doubled: 2 * Number(n) }) })
    expect(await askRunning(data, 'double', { n: 21 })).toEqual({ doubled: 42 })
  })

  test('nobody else on the machine can ask', async () => {
    const data = directory()
    await open(data, {})
    expect(statSync(join(data, 'admin.sock')).mode & 0o777).toBe(0o600)
  })

  test('a socket left by a killed process is replaced', async () => {
    const data = directory()
    writeFileSync(join(data, 'admin.sock'), '')
    await open(data, { ping: async () => ({ pong: true }) })
    expect(await askRunning(data, 'ping', {})).toEqual({ pong: true })
  })

  test('where nothing runs, that is said', async () =>
    expect(await askRunning(directory(), 'ping', {})).toBeUndefined())
})

test('a command that fails says why, and an unknown one that it is unknown', async () => {
  const data = temporaryDirectory()
  await open(data, {
    break: async () => {
      throw new Error('it broke')
    },
  })
  await expect(askRunning(data, 'break', {})).rejects.toThrow('it broke')
  await expect(askRunning(data, 'toString', {})).rejects.toThrow('no admin command toString')
})
