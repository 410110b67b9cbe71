import { expect, test } from 'vitest'
import { announceBridges } from './announce.ts'
import { runWith } from './guard.ts'

test('where the kernel cannot be told to announce bridges, it is said, and why', async () => {
  expect(await announceBridges({ run: runWith('true') })).toEqual([])
  expect(await announceBridges({ run: runWith('false') })).toEqual([expect.stringMatching(/for a minute .*: sysctl: /)])
  expect(await announceBridges({ not: 'it is far away' })).toEqual([expect.stringContaining(': it is far away')])
})
