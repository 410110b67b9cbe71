import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, testWith } from '@stead/testing'
import { expect } from 'vitest'
import { Program } from '../tests/program.ts'

testWith('bubblewrap', 'a first start finds this machine, and says how well it isolates', async () => {
  const data = join(temporaryDirectory(), 'data')
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data]
  const program = new Program(args, { env: { STEAD_FIND_REGIONS: 'true' } })
  const url = await program.listening()
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const local = async () => {
    const answer = await fetch(`${url}/v1/regions/local`, { headers: { authorization: `Bearer ${token}` } })
    return (await answer.json()) as { status: { health: string; notes: string[] } }
  }
  await expect.poll(async () => (await local()).status?.health, { timeout: 20_000 }).toBe('healthy')
  expect(await local()).toMatchObject({
    spec: { provider: 'local' },
    status: {
      isDefault: true,
      sources: ['services'],
      capabilities: expect.arrayContaining(['exec', 'logs', 'metrics']),
    },
  })
  expect((await local()).status.notes).toContain('isolation: full')
})
