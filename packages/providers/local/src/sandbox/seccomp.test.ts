import { expect, test } from 'vitest'
import { seccompProgram } from './seccomp.ts'

const allow = 0x7fff0000
const notPermitted = 0x00050001
const notImplemented = 0x00050026

interface Call {
  readonly architecture: number
  readonly number: number
  readonly argument?: number
}

/** Runs a filter as the kernel would: the few instructions it is made of. */
function judge(program: Buffer, { architecture, number, argument = 0 }: Call): number {
  const data: Record<number, number> = { 0: number, 4: architecture, 16: argument }
  let value = 0
  for (let at = 0; ; at++) {
    const [code, jumpTrue, jumpFalse] = [program.readUInt16LE(at * 8), program[at * 8 + 2]!, program[at * 8 + 3]!]
    const operand = program.readUInt32LE(at * 8 + 4)
    if (code === 0x20) value = data[operand]!
    else if (code === 0x06) return operand
    else {
      const holds = code === 0x15 ? value === operand : code === 0x35 ? value >= operand : (value & operand) >>> 0 !== 0
      at += holds ? jumpTrue : jumpFalse
    }
  }
}

const x64 = { architecture: 0xc000003e, read: 0, mount: 165, keyctl: 250, clone: 56, clone3: 435, unshare: 272 }
const arm64 = { architecture: 0xc00000b7, read: 63, mount: 40, keyctl: 219, clone: 220, clone3: 435, unshare: 97 }

test.each([
  ['x64', x64],
  ['arm64', arm64],
] as const)('on %s it refuses what no service needs, and lets the rest pass', (name, numbers) => {
  const program = seccompProgram(name)!
  const { architecture } = numbers
  const verdict = (number: number, argument?: number) =>
    judge(program, { architecture, number, ...(argument !== undefined && { argument }) })
  expect(verdict(numbers.read)).toBe(allow)
  expect(verdict(numbers.mount)).toBe(notPermitted)
  expect(verdict(numbers.keyctl)).toBe(notPermitted)
  expect(verdict(numbers.clone3)).toBe(notImplemented)
  expect(verdict(numbers.clone, 0x11)).toBe(allow)
  expect(verdict(numbers.unshare, 0x400)).toBe(allow)
  for (const namespace of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
    expect(verdict(numbers.clone, 0x11 | namespace)).toBe(notPermitted)
    expect(verdict(numbers.unshare, namespace)).toBe(notPermitted)
  }
})

test('system calls of another architecture and of the second set of numbers are refused', () => {
  const program = seccompProgram('x64')!
  expect(judge(program, { architecture: 0x40000003, number: 4 })).toBe(notPermitted)
  expect(judge(program, { architecture: x64.architecture, number: 0x40000000 })).toBe(notPermitted)
})

test('for a processor it was not written for there is none', () => {
  expect(seccompProgram('riscv64')).toBeUndefined()
})
