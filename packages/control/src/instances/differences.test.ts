import { expect, test } from 'vitest'
import { differencesOf, tellAll } from './differences.ts'
import { anInstance, aServer, machineSpec, now, observed } from './tests/samples.ts'

const offering = { name: 'small', flavor: 'f-1', image: 'i-1' }
const machine = anInstance({ spec: machineSpec(), status: { offering } })
const server = (seen: Parameters<typeof observed>[1], state: 'running' | 'stopped' = 'running', power = 'on') =>
  aServer({
    spec: { power: power as 'on' },
    status: {
      observed: observed(state, { services: {}, ...seen }),
      applied: { launch: 'launch-1', power: power as 'on', restart: 0, rebuild: 0 },
    },
  })

test('what is as it was made differs in nothing', () =>
  expect(differencesOf(machine, server({ flavor: 'f-1', image: 'i-1' }))).toEqual([]))

test('each thing that is other than it was made is told with what it was to be', () => {
  const found = differencesOf(machine, server({ flavor: 'f-2', image: 'i-2', labels: { a: 'b' } }, 'stopped'))
  expect(found).toEqual([
    { field: 'power', wanted: 'on', found: 'off' },
    { field: 'flavor', wanted: 'f-1', found: 'f-2' },
    { field: 'image', wanted: 'i-1', found: 'i-2' },
    { field: 'labels', wanted: {}, found: { a: 'b' } },
  ])
  expect(tellAll(found)).toBe(
    'it is off, and should run; its flavor is f-2; its image is i-2; its labels were changed in the region',
  )
  expect(differencesOf(machine, server({}, 'running', 'off'))).toEqual([{ field: 'power', wanted: 'off', found: 'on' }])
})

test('of what is gone there is nothing else to tell', () => {
  const lost = aServer({ status: { lost: { at: now, reason: 'it is not there' }, observed: observed('stopped') } })
  expect(differencesOf(machine, lost)).toEqual([{ field: 'server', wanted: 'there', found: 'it is not there' }])
})

test('nothing differs while something is being brought about', () =>
  expect(differencesOf(machine, aServer({ status: { powering: 'off', observed: observed('stopped') } }))).toEqual([]))
