// Reads the quotas of a project, and asks whether one more instance would fit, before anything is made.
// STEAD_TOKEN=… node examples/quotas.ts
import { isProblem, Stead } from '@stead/sdk'

const stead = new Stead({ url: process.env.STEAD_URL ?? 'http://127.0.0.1:7400', token: process.env.STEAD_TOKEN! })
const project = stead.project('default/default')
for (const { kind, used, limit } of await project.quotas()) console.log(`${kind}: ${used} of ${limit ?? 'any number'}`)

const path = { project: project.name }
const { fits } = await stead.call('POST /v1/projects/{project}/quota/check', { path, body: { instances: 1 } })
console.log(fits ? 'one more instance fits' : 'no more instances fit')

try {
  await project.instances.get('nobody')
} catch (error) {
  if (!isProblem(error, 'not_found')) throw error
  console.log(`refused, as expected: ${error.detail}`)
}
