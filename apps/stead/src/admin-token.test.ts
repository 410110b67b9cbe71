import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { AdminTokenFile } from './admin-token.ts'
import { Program } from './tests/program.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a proposed token is there after a crash, and becomes the token once confirmed', () => {
  const data = temporaryDirectory()
  new AdminTokenFile(data).propose({ token: 'stead_a', startId: 'cs_1' })
  const file = new AdminTokenFile(data)
  expect(file.proposed()).toEqual({ token: 'stead_a', startId: 'cs_1' })
  file.confirm('stead_a')
  expect(readFileSync(file.path, 'utf8')).toBe('stead_a\n')
  expect(modeOf(file.path)).toBe(0o600)
  expect(readdirSync(data)).toEqual(['admin.token'])
})

test('a file that others could read is replaced by one they cannot', () => {
  const file = new AdminTokenFile(temporaryDirectory())
  writeFileSync(file.path, 'old')
  chmodSync(file.path, 0o644)
  file.write('stead_b')
  expect(modeOf(file.path)).toBe(0o600)
})

async function serving(data: string) {
  const program = new Program(['serve', '--listen', '127.0.0.1:0', '--data', data])
  await expect.poll(() => program.stdout, { timeout: 20_000 }).toContain('Ctrl-C')
  return program
}

async function resetToken(data: string): Promise<string> {
  const program = new Program(['admin', 'reset-token', '--data', data])
  expect([await program.exited, program.stderr]).toMatchObject([{ code: 0 }, expect.stringContaining('admin.token')])
  return program.stdout.trim()
}

test('the first start leaves a token; it is replaced while Stead runs, and while it does not', async () => {
  const data = join(temporaryDirectory(), 'data')
  const tokenInFile = () => readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const program = await serving(data)
  const first = tokenInFile()
  await expect.poll(() => program.stdout).toContain(first)
  expect(modeOf(join(data, 'admin.token'))).toBe(0o600)

  const second = await resetToken(data)
  expect(second).toMatch(/^stead_[\w-]{64}$/)
  expect(tokenInFile()).toBe(second)
  program.process.kill('SIGTERM')
  await program.exited

  const third = await resetToken(data)
  expect(tokenInFile()).toBe(third)
  expect(new Set([first, second, third]).size).toBe(3)

  const again = await serving(data)
  expect(again.stdout).not.toContain('stead_')
  expect(tokenInFile()).toBe(third)
})
