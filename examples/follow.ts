// Says what every instance of a project is doing, from now on, over restarts of the server. Ctrl-C ends it.
// STEAD_TOKEN=… node examples/follow.ts
import { Stead } from '@stead/sdk'

const stead = new Stead({ url: process.env.STEAD_URL ?? 'http://127.0.0.1:7400', token: process.env.STEAD_TOKEN! })
for await (const { type, object } of stead.project('default/default').follow())
  console.log(object.metadata.name, type === 'remove' ? 'gone' : object.status.phase)
