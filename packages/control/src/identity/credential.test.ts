import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { mint, proves, readCredential } from './credential.ts'

test('what was minted is found by its id and proves itself', () => {
  for (const kind of ['tok', 'ses', 'inv'] as const) {
    const { id, text, hash } = mint(realWorld, kind)
    const read = readCredential(kind, text)!
    expect(read.id).toBe(id)
    expect(proves(read.secret, hash)).toBe(true)
  }
})

test('a token is 70 letters that a header and a URL take as they are', () => {
  expect(mint(realWorld, 'tok').text).toMatch(/^stead_[A-Za-z0-9_-]{64}$/)
})

test('any other secret proves nothing', () => {
  const { text, hash } = mint(realWorld, 'tok')
  const { secret } = readCredential('tok', text)!
  for (const index of [0, 15, 31]) {
    const other = Uint8Array.from(secret)
    other[index]! ^= 1
    expect(proves(other, hash)).toBe(false)
  }
  expect(proves(readCredential('tok', mint(realWorld, 'tok').text)!.secret, hash)).toBe(false)
})

test('one kind is never taken for another, and nothing else for either', () => {
  const token = mint(realWorld, 'tok').text
  for (const kind of ['ses', 'inv'] as const) {
    expect(readCredential(kind, token)).toBeUndefined()
    expect(readCredential('tok', mint(realWorld, kind).text)).toBeUndefined()
  }
  for (const text of ['', 'stead_', token.slice(1), token.slice(0, -1), `${token}a`, `${token.slice(0, -1)}!`])
    expect(readCredential('tok', text)).toBeUndefined()
})
