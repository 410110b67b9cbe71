import { readFileSync } from 'node:fs'
import { runProviderContractTests } from '@stead/provider-kit/contract'
import { missing } from '@stead/testing'
import { ContainerEngine, type dockerEngine } from '@stead/testing/engines'
import { afterAll, test } from 'vitest'
import { engineSubject } from './subject.ts'

/** The whole contract, on one engine of this kind. */
export function contractOn(kind: typeof dockerEngine): void {
  // What is to be tested is asked of the engine: without one there is nothing to list, and only the reason to be told.
  if (missing(kind.name)) {
    test('the provider contract', () => {})
    return
  }
  let engine: Promise<ContainerEngine> | undefined
  const busybox = readFileSync('/bin/busybox')
  const subject = async () => {
    engine ??= ContainerEngine.start(kind)
    return engineSubject(await engine, busybox)
  }
  runProviderContractTests(kind.name, subject, { timeout: 120_000, concurrent: true })
  afterAll(async () => (await engine)?.close(), 120_000)
}
