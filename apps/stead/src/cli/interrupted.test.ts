import { freePort } from '@stead/testing'
import { expect, test } from 'vitest'
import { Desk } from '../tests/desk.ts'

test('no server is said in words, with its own exit code', async () => {
  const desk = new Desk()
  const url = `http://127.0.0.1:${await freePort()}`
  expect(await desk.begin(['ps'], { env: { STEAD_URL: url, STEAD_TOKEN: 'stead_x' } }).ended).toEqual({
    code: 21,
    stdout: '',
    stderr: `stead: ${url} cannot be reached: nothing listens there\nstead: start it with \`stead serve\`, or say where it is with --url or \`stead login\`\n`,
  })
})

test('Ctrl-C while waiting says what goes on on the server', async () => {
  const desk = await Desk.withStead()
  expect((await desk.run('run', 'web', '--no-wait', '--', 'x')).code).toBe(0)
  const waiting = desk.begin(['wait', 'web', '--phase', 'stopped'])
  await expect.poll(() => waiting.said.stderr, { timeout: 20_000 }).toContain('web is running')
  waiting.interrupt()
  expect(await waiting.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('goes on on the server') })
  expect((await desk.run('ps', '-o', 'name')).stdout).toBe('web\n')
}, 60_000)

test('a wait, a watch and events go on when the server is killed and started again', async () => {
  const desk = await Desk.withStead()
  await desk.run('run', 'web', '--', 'x')
  const waiting = desk.begin(['wait', 'web', '--phase', 'destroyed'])
  const watching = desk.begin(['watch'])
  const asJson = desk.begin(['watch', 'instance', 'operation', '--json'])
  const telling = desk.begin(['events', 'web', '-f'])
  await expect.poll(() => waiting.said.stderr, { timeout: 20_000 }).toContain('web is running')
  // Seen by both: they have begun.
  const isSeen = async () => {
    await desk.run('restart', 'web')
    return watching.said.stdout !== '' && asJson.said.stdout !== '' && telling.said.stdout !== ''
  }
  await expect.poll(isSeen, { timeout: 30_000 }).toBe(true)
  await desk.stead!.kill()
  await expect.poll(() => waiting.said.stderr, { timeout: 20_000 }).toContain('looking for it again')
  await expect.poll(() => watching.said.stderr, { timeout: 20_000 }).toContain('looking for it again')
  await desk.stead!.startAgain()
  expect((await desk.run('delete', 'web', '--yes', '--no-wait')).code).toBe(0)
  expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'web is destroyed\n' })
  const told = await telling.ended
  expect(told).toMatchObject({ code: 0, stderr: expect.stringMatching(/web is gone\n$/) })
  const lines = told.stdout.trim().split('\n')
  expect(lines[0]).toMatch(/Created {2}by admin/)
  expect(new Set(lines).size, 'nothing is told twice').toBe(lines.length)
  await expect.poll(() => watching.said.stdout, { timeout: 20_000 }).toContain('inst web is gone\n')
  await expect.poll(() => asJson.said.stdout, { timeout: 20_000 }).toMatch(/"type":"remove","object":\{"metadata"/)
  watching.interrupt()
  asJson.interrupt()
  expect((await watching.ended).code).toBe(0)
  const { code, stdout } = await asJson.ended
  expect(code).toBe(0)
  const changes = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(changes).toContainEqual({ type: 'remove', object: expect.objectContaining({ spec: expect.anything() }) })
}, 90_000)

test('what took too long, failed or was never there have their own exit codes', async () => {
  const desk = await Desk.withStead()
  await desk.run('run', 'web', '--', 'x')
  expect(await desk.run('wait', 'web', '--phase', 'stopped', '--timeout', '1s')).toMatchObject({
    code: 25,
    stderr: expect.stringContaining('web is running after 1 s'),
  })
  expect(await desk.run('wait', 'nobody')).toMatchObject({ code: 24 })
  expect(await desk.run('run', 'web', '--', 'x')).toMatchObject({
    code: 20,
    stderr: expect.stringMatching(/^stead: Name taken: [\s\S]* what to do: [\s\S]* trace id: [0-9a-f]{32}\n$/),
  })
  expect(await desk.run('wait', 'web', '--timeout', 'soon')).toMatchObject({ code: 2 })
}, 60_000)
