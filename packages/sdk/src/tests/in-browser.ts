/** Runs in a browser: what a page does with the SDK, told to the test that serves it. */
import { Stead, Unreachable } from '../index.ts'

declare const location: { readonly origin: string }

/** What the test tells the page. */
export interface About {
  readonly token: string
  /** The Stead at its own address: another origin than that of the page. */
  readonly elsewhere: string
}

const about = (await (await fetch('/about')).json()) as About

async function scenario() {
  const { instances, ...project } = projectAt(location.origin)
  const source = { services: { services: { main: { image: 'any', command: ['run'] } } } }
  await instances.create({ name: 'web', spec: { region: 'simulated', source } })
  const phases: string[] = []
  const leave = new AbortController()
  const following = (async () => {
    for await (const { type, object } of project.follow(leave.signal))
      phases.push(type === 'put' ? object.status.phase : 'gone')
  })().catch(reason => String(reason))
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(resolve => setTimeout(resolve, 20))
  }
  // It is followed from here on.
  await until(() => phases.length > 0)
  const { status } = await instances.waitUntil('web', { ready: true })
  const names: string[] = []
  for await (const { metadata } of instances.list({ limit: 1 })) names.push(metadata.name)
  const lines: string[] = []
  for await (const { line } of instances.logs('web')) lines.push(line)
  const terminal = await instances.exec('web', { command: ['echo', 'hello'] })
  let said = ''
  for await (const { data } of terminal.output()) said += new TextDecoder().decode(data)
  const exit = await terminal.exited
  await instances.delete('web')
  await instances.waitUntil('web', { phase: 'destroyed' }).catch(() => undefined)
  await until(() => phases.includes('gone'))
  leave.abort('enough')
  const stranger = await projectAt(about.elsewhere)
    .instances.get('web')
    .catch(error => error)
  return {
    ...{ phase: status.phase, names, lines, said, exit, phases },
    left: await following,
    isStrangerKeptOut: stranger instanceof Unreachable,
  }
}

function projectAt(url: string) {
  const project = new Stead({ url, token: about.token, retryFor: 1_000 }).project('default/default')
  return { instances: project.instances, follow: (signal: AbortSignal) => project.follow({ signal }) }
}

const told = await scenario().catch(error => ({ failed: String(error?.stack ?? error) }))
await fetch('/told', { method: 'POST', body: JSON.stringify(told) })
