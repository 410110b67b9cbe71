import { expect, test } from 'vitest'
import { decodeRevision, encodePut } from './messages.ts'

test('a put is two length-prefixed fields, also when lengths need two bytes', () => {
  expect(encodePut('k', 'v').toString('hex')).toBe('0a016b120176')
  const long = encodePut('key', 'x'.repeat(300))
  expect(long.subarray(0, 8).toString('hex')).toBe('0a036b657912ac02')
  expect(long.length).toBe(8 + 300)
})

test('the revision is read from the header, past the fields before it, and beyond 32 bits', () => {
  // header { cluster_id: 1, member_id: 2, revision: 300, raft_term: 4 }
  expect(decodeRevision(Buffer.from('0a090801100218ac022004', 'hex'))).toBe(300)
  // header { revision: 2 ** 40 }
  expect(decodeRevision(Buffer.from('0a0718808080808020', 'hex'))).toBe(2 ** 40)
})

test('an answer without a revision, or cut short, is an error and not a zero', () => {
  expect(() => decodeRevision(Buffer.alloc(0))).toThrow('without a revision')
  expect(() => decodeRevision(Buffer.from('0a0918', 'hex'))).toThrow('half a message')
})
