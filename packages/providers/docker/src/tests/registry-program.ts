import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'

/**
 * A registry that images can be pulled from: the part of the distribution specification that a pull uses. It runs as a
 * program of its own, because it must listen in the network of the engine. What it has is told line by line on its input:
 * `blob <digest> <base64>`, `name <repository>:<tag> <digest>`, `hold` and `release`, which make pulls of layers wait.
 */
const [open, closed, login] = process.argv.slice(2) as [string, string, string]
const blobs = new Map<string, Buffer>()
const tags = new Map<string, string>()
let held = Promise.withResolvers<void>()
held.resolve()

const layerTypes = 'application/vnd.docker.distribution.manifest.v2+json'
const isManifest = (content: Buffer) => content.subarray(0, 64).includes('schemaVersion')

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const refused = (code: string) => ({ errors: [{ code, message: code.toLowerCase().replaceAll('_', ' ') }] })

async function serve({ url = '', method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url === '/v2/') return answer(response, 200, {})
  const [, repository, kind, reference] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? []
  const digest = reference?.startsWith('sha256:') ? reference : tags.get(`${repository}:${reference}`)
  const content = digest === undefined ? undefined : blobs.get(digest)
  if (!content) return answer(response, 404, refused(kind === 'manifests' ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN'))
  if (kind === 'blobs' && content[0] === 0x1f) await held.promise
  const type = isManifest(content) ? layerTypes : 'application/octet-stream'
  response.writeHead(200, {
    'content-type': type,
    'content-length': content.length,
    'docker-content-digest': digest!,
  })
  response.end(method === 'HEAD' ? undefined : content)
}

const wants = `Basic ${Buffer.from(login).toString('base64')}`
createServer((request, response) => void serve(request, response)).listen(Number(open), '127.0.0.1')
createServer((request, response) => {
  if (request.headers.authorization === wants) return void serve(request, response)
  answer(response, 401, refused('UNAUTHORIZED'), { 'www-authenticate': 'Basic realm="a registry of a test"' })
}).listen(Number(closed), '127.0.0.1', () => process.stdout.write('ready\n'))

for await (const line of createInterface({ input: process.stdin })) {
  const [word, name = '', value = ''] = line.split(' ')
  if (word === 'blob') blobs.set(name, Buffer.from(value, 'base64'))
  if (word === 'name') tags.set(name, value)
  if (word === 'hold') held = Promise.withResolvers()
  if (word === 'release') held.resolve()
  process.stdout.write('done\n')
}
process.exit()
