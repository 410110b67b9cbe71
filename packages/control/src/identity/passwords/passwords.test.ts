import { realWorld } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { Browser } from '../tests/browser.ts'
import { IdentityHouse } from '../tests/house.ts'
import { Passwords } from './passwords.ts'

const passwords = new Passwords(realWorld)

describe('a password', () => {
  test('is known by its hash, which is another each time', async () => {
    const [one, two] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')]
    expect(one).toMatch(/^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect(await passwords.verify('correct horse', one)).toBe(true)
    expect(await passwords.verify('correct horsf', one)).toBe(false)
  })

  test('that nobody has is never right', async () => {
    for (const guess of ['', 'A', 'x'.repeat(256)]) expect(await passwords.verify(guess, undefined)).toBe(false)
  })

  test('is the same however its letters are composed', async () => {
    const cheap = new Passwords(realWorld, { exponent: 4, blockSize: 8, parallelization: 1 })
    expect(await cheap.verify('cafe\u0301', await cheap.hash('caf\u00e9'))).toBe(true)
  })
})

test('a hash of an earlier cost is still verified', async () => {
  const earlier = new Passwords(realWorld, { exponent: 4, blockSize: 8, parallelization: 1 })
  expect(await passwords.verify('correct horse', await earlier.hash('correct horse'))).toBe(true)
})

test('of many at once, those beyond the queue are told to come back', async () => {
  const cheap = new Passwords(realWorld, { exponent: 10, blockSize: 8, parallelization: 1 })
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => cheap.hash('x')))
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(60 - 2 - 32)
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable' } })
  await expect(cheap.hash('x')).resolves.toMatch(/^scrypt/)
})

test('whoever guesses is slowed down, by account and by address', async () => {
  const house = await IdentityHouse.open()
  const attempts = async (count: number, email: (index: number) => string) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => new Browser(house).signIn(email(index), 'guess')),
    )
    return Map.groupBy(answers, ({ status }) => status)
  }
  const ofOne = await attempts(12, () => 'ada@example.com')
  expect([ofOne.get(401)?.length, ofOne.get(429)?.length]).toEqual([10, 2])
  expect(ofOne.get(429)![0]!.headers.get('retry-after')).toMatch(/^\d+$/)
  const ofMany = await attempts(30, index => `person-${index}@example.com`)
  expect([ofMany.get(401)?.length, ofMany.get(429)?.length]).toEqual([18, 12])
})
