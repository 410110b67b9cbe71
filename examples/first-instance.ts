// Makes a service, waits until it runs, says where it answers, and deletes it again.
// STEAD_TOKEN=… node examples/first-instance.ts
import { Stead } from '@stead/sdk'

const stead = new Stead({ url: process.env.STEAD_URL ?? 'http://127.0.0.1:7400', token: process.env.STEAD_TOKEN! })
const { instances } = stead.project('default/default')
const service = { image: 'host', command: ['python3', '-m', 'http.server', '$(PORT_HTTP)'], ports: [{ name: 'http' }] }
const region = process.env.STEAD_REGION ?? 'local'

const { metadata } = await instances.create({
  name: 'hello',
  spec: { region, source: { services: { services: { web: service } } } },
})
const { status } = await instances.waitUntil(metadata.id, { ready: true })
console.log(`hello is ${status.phase}`, ...status.endpoints.map(({ host, port }) => `at http://${host}:${port}/`))
await instances.delete(metadata.id)
await instances.waitUntil(metadata.id, { phase: 'destroyed' })
console.log('hello is gone')
