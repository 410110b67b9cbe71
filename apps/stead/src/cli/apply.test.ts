import { expect, test } from 'vitest'
import { Desk } from '../tests/desk.ts'

const instance = (name: string, { mark = 'one', tier = 'web' } = {}) => `
kind: instance
metadata:
  name: ${name}
  labels: { tier: ${tier} }
spec:
  region: simulated
  source:
    services:
      services:
        main:
          image: any
          command: [run]
          env: { MARK: ${mark}, KEEP: same }
`

const file = (...documents: string[]) => documents.join('---')

test('three instances are planned, made, changed as the file changes, and pruned', async () => {
  const desk = await Desk.withStead()
  desk.write('shop.yaml', file(instance('a'), instance('b'), instance('c')))
  expect(await desk.run('plan', '-f', 'shop.yaml')).toMatchObject({
    code: 0,
    stdout: '+ instance a\n+ instance b\n+ instance c\n3 to create, 0 to change, 0 to delete, 0 as they should be\n',
  })
  expect((await desk.run('ps', '-o', 'name')).stdout, 'a plan makes nothing').toBe('')
  const made = await desk.run('apply', '-f', 'shop.yaml')
  expect(made, made.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/a is running\nb is running\nc is running\n$/),
  })
  expect((await desk.run('plan', '-f', 'shop.yaml')).stdout).toBe(
    '0 to create, 0 to change, 0 to delete, 3 as they should be\n',
  )

  // A label in place, a variable by a restart, one gone from the file.
  desk.write('shop.yaml', file(instance('a', { tier: 'api' }), instance('b', { mark: 'two' })))
  const planned = await desk.run('plan', '-f', 'shop.yaml', '--prune')
  expect(planned.stdout).toBe(
    [
      '~ instance a',
      '    /labels/tier: "web" → "api"',
      '~ instance b (restart): loses what it keeps in memory and on disk; does not serve meanwhile',
      '    /spec/source/services/services/main/env/MARK: "one" → "two"',
      '- instance c: loses its disk, its addresses, what it keeps in memory and on disk',
      '0 to create, 2 to change, 1 to delete, 0 as they should be',
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await desk.run('plan', '-f', 'shop.yaml', '--prune', '--json')).stdout)).toMatchObject({
    steps: [
      { action: 'change', name: 'a' },
      { action: 'change', name: 'b', effect: 'restart', loses: ['localState'], keeps: [], interrupts: true },
      { action: 'delete', name: 'c' },
    ],
  })
  const declined = await desk.run('apply', '-f', 'shop.yaml', '--prune')
  expect(declined).toMatchObject({ code: 27, stderr: expect.stringContaining('destroys something of c.') })
  expect((await desk.run('ps', '-o', 'name')).stdout, 'nothing was done').toBe('a\nb\nc\n')

  const applied = await desk.run('apply', '-f', 'shop.yaml', '--prune', '--yes')
  expect(applied, applied.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/b is running\nc is gone\n$/),
  })
  const left = JSON.parse((await desk.run('ps', '--json')).stdout)
  expect(left).toMatchObject([
    { metadata: { name: 'a', labels: { tier: 'api' } } },
    {
      metadata: { name: 'b' },
      spec: { source: { services: { services: { main: { env: { MARK: 'two', KEEP: 'same' } } } } } },
    },
  ])
  expect((await desk.run('plan', '-f', 'shop.yaml', '--prune')).stdout).toMatch(
    /^0 to create, 0 to change, 0 to delete, 2/,
  )
}, 120_000)

test('what is read can be applied as it is, and changes nothing', async () => {
  const desk = await Desk.withStead()
  await desk.run('run', 'web', '--label', 'tier=web', '--env', 'A=b', '--port', 'http', '--', 'x')
  desk.write('web.yaml', (await desk.run('get', 'instance', 'web', '-o', 'yaml')).stdout)
  const { stdout } = await desk.run('plan', '-f', 'web.yaml')
  expect(stdout).toBe(
    '~ instance web\n    /labels/apply-set: nothing → "web"\n0 to create, 1 to change, 0 to delete, 0 as they should be\n',
  )
}, 60_000)

test.each([
  ['kind: instance\nspec: {}\n', /document 1: metadata\.name is missing/],
  ['kind: cloud\nmetadata: {name: x}\n', /there is no kind cloud/],
  ['kind: region\nmetadata: {name: x}\n', /a file cannot hold a region/],
  ['kind: [unclosed\n', /document 1: /],
  [file('kind: image\nname: x\n', '\nkind: image\nname: x\n'), /document 2: image x is in .* document 1 already/],
  ['kind: instance\nmetadata: {name: x}\nspecs: {}\n', /specs is not known here/],
])('a file that is wrong is told with its place, before anything is done: %j', async (text, message) => {
  const desk = new Desk()
  desk.write('wrong.yaml', text)
  const said = desk.begin(['apply', '-f', 'wrong.yaml'], { env: { STEAD_URL: 'http://127.0.0.1:1', STEAD_TOKEN: 'x' } })
  expect(await said.ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})
