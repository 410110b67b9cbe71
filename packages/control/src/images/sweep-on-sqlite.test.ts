import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { openHouseWithSky } from '../networks/tests/network-house.ts'
import { FileStaging } from './staging/file-staging.ts'
import { sweep } from './staging/sweep.ts'
import { content, openImageHouse, sha256 } from './tests/image-house.ts'

// Only where this node alone writes: where others do too, nothing is removed in the first minute.
const goneId = 'img_00000000-0000-7000-8000-000000000000'

test('at the start, what is staged for images that are gone is removed', async () => {
  const staging = temporaryDirectory()
  for (const file of [`${goneId}.image`, `${goneId}.0f.part`, 'README']) writeFileSync(join(staging, file), 'x')
  await openHouseWithSky({}, { fetching: { staging } })
  await expect.poll(() => readdirSync(staging)).toEqual(['README'])
})

test('nothing is removed of images that are there', async () => {
  const { house, image, staging, staged } = await openImageHouse()
  const { metadata } = await image('own', { upload: { sizeBytes: content.length, sha256: sha256(content) } })
  mkdirSync(staging)
  for (const id of [metadata.id, goneId]) writeFileSync(join(staging, `${id}.image`), 'x')
  const { store, engine, world } = house
  const sweeping = { staging: new FileStaging(staging, world), store, cache: engine.cache, world }
  await sweep(sweeping, new AbortController().signal)
  expect(staged()).toEqual([`${metadata.id}.image`])
})
