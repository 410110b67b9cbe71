import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CloudOptions } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { onTestFinished } from 'vitest'
import type { Answer } from '../../door/tests/shop.ts'
import type { IdentityHouse } from '../../identity/tests/house.ts'
import { openHouseWithSky, shop } from '../../networks/tests/network-house.ts'
import { outgoingStreams } from '../../outgoing/client.ts'

export const content = Buffer.from('what boots, as long as anybody says so. '.repeat(1_000))
export const sha256 = (of: Buffer) => createHash('sha256').update(of).digest('hex')

/** Something on loopback that serves images. */
export async function openSource(handle: RequestListener = (_request, response) => void response.end(content)) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    return handle(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/image`, asked }
}

/** The house with a region `sky`, whose way out leads to loopback unless it is `guarded` as in real life. */
export async function openImageHouse({
  guarded = false,
  ...cloud
}: { guarded?: boolean } & Partial<CloudOptions> = {}) {
  const take = outgoingStreams({ world: realWorld, allow: guarded ? [] : ['127.0.0.0/8'] })
  const opened = await openHouseWithSky(cloud, { fetching: { take } })
  const { house, make } = opened
  const staging = join(house.directory, 'staging')
  return {
    ...opened,
    staging,
    /** What is staged now. */
    staged: () => (existsSync(staging) ? readdirSync(staging) : []),
    image: (name: string, source: object, status = 201) => make('images', name, { region: 'sky', source }, status),
    /** What the cloud has. */
    outside: () => [...opened.cloud.account().images.roster],
    put: (name: string, body: Content, token?: string) => putContent(house, name, body, token),
  }
}

type Content = Uint8Array | ReadableStream

/** Sends the content of an image of the shop. */
export async function putContent(
  house: IdentityHouse,
  name: string,
  body: Content,
  token = house.admin,
): Promise<Answer> {
  const answer = await fetch(`${house.url}${shop}/images/${name}/content`, {
    ...{ method: 'PUT', body, duplex: 'half' },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
  } as RequestInit)
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}
