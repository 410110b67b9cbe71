import { expect, test } from 'vitest'
import { readDevices } from './traffic.ts'

const headings = 'Inter-|   Receive                            |  Transmit\n face |bytes    packets errs\n'

test('the bytes of every device are added up, whether or not there is a space after its name', () => {
  const text = `${headings}    lo:1200 3 0 0 0 0 0 0 1300 3 0 0 0 0 0 0\n  eth0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n`
  expect(readDevices(text)).toEqual([1210, 1320])
  expect(readDevices('')).toEqual([0, 0])
})
