import type { ChangeSet } from './words/change-set.ts'
import { InvalidChangeSetError } from './words/errors.ts'
import { type Ref, refKey, sameRef } from './words/object.ts'

/**
 * What a change-set must be before it is sent. Whatever a database would choke on is refused here, with the same words
 * on every store: many change-sets share one transaction, and one that fails in the middle would take the others along.
 */
export function checkChangeSet(set: ChangeSet): void {
  checkName('change-set id', set.id)
  checkExpectations(set)
  checkObjects(set)
  checkKeys(set)
  checkCounters(set)
  checkBlobs(set)
  for (const { table, subject, scope } of set.records) {
    checkName('table', table)
    checkName('subject', subject)
    checkName('scope', scope)
  }
}

export const invalid = (why: string, cause?: unknown) =>
  new InvalidChangeSetError(`invalid change-set: ${why}`, { cause })

/** PostgreSQL indexes at most 2,704 bytes, and up to four names stand in one index. */
const maxNameBytes = 512

/**
 * Names are indexed and compared byte by byte. NUL ends a text in PostgreSQL, and half a surrogate pair becomes U+FFFD
 * in both databases, so that two different names would meet.
 */
export function checkName(what: string, name: string): void {
  if (typeof name !== 'string' || name === '') throw invalid(`${what} is empty`)
  if (!name.isWellFormed() || name.includes('\0')) throw invalid(`${what} ${JSON.stringify(name)} is not plain text`)
  if (name.length * 3 > maxNameBytes && Buffer.byteLength(name) > maxNameBytes)
    throw invalid(`${what} ${name.slice(0, 32)}… is longer than ${maxNameBytes} bytes`)
}

function checkRef({ kind, id }: Ref): void {
  checkName('kind', kind)
  checkName('id', id)
  if (kind.includes('/')) throw invalid(`kind ${kind} has a slash`)
}

function checkExpectations({ expect }: ChangeSet): void {
  for (const expectation of expect) {
    if ('ref' in expectation) checkRef(expectation.ref)
    else if (expectation.type === 'key') checkClaim(expectation)
    else checkName('lease', expectation.lease)
  }
}

/** One object changes at most once in a change-set: otherwise its outcome would depend on an order nobody sees. */
function checkObjects({ puts, removes }: ChangeSet): void {
  for (const ref of puts) checkRef(ref)
  for (const ref of removes) checkRef(ref)
  if (puts.length + removes.length < 2) return
  const twice = findRepeated([...puts, ...removes].map(refKey))
  if (twice) throw invalid(`${twice} is changed twice`)
}

function checkKeys({ takes, releases }: ChangeSet): void {
  for (const claim of takes) checkClaim(claim)
  for (const claim of releases) checkClaim(claim)
  const taken = findRepeated(takes.map(({ key }) => key))
  if (taken) throw invalid(`key ${taken} is taken twice`)
  const released = findRepeated(releases.map(({ key }) => key))
  if (released) throw invalid(`key ${released} is released twice`)
}

function findRepeated(names: readonly string[]): string | undefined {
  if (names.length < 2) return undefined
  const seen = new Set<string>()
  return names.find(name => seen.size === seen.add(name).size)
}

function checkClaim({ key, holder }: { key: string; holder: string }): void {
  checkName('key', key)
  checkName('holder', holder)
}

function checkCounters({ moves, limits }: ChangeSet): void {
  for (const { counter, by } of moves) {
    checkName('counter', counter)
    if (!Number.isSafeInteger(by)) throw invalid(`${counter} moves by ${by}`)
  }
  for (const { counter, limit } of limits) {
    checkName('counter', counter)
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) throw invalid(`${counter} has limit ${limit}`)
  }
}

function checkBlobs({ blobs, dropBlobs, removes }: ChangeSet): void {
  for (const { owner, hash, sealed } of blobs) {
    checkRef(owner)
    checkName('hash', hash)
    if (!(sealed instanceof Uint8Array)) throw invalid(`blob ${hash} of ${refKey(owner)} is not bytes`)
    if (removes.some(removed => sameRef(removed, owner)))
      throw invalid(`a blob is given to ${refKey(owner)}, which is removed`)
  }
  for (const { owner, hash } of dropBlobs) {
    checkRef(owner)
    checkName('hash', hash)
  }
}
