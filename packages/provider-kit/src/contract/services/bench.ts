import { millis, newId } from '@stead/world'
import type { LaunchSource, ServiceLaunch } from '../../launch-spec.ts'
import type { ServerInfo, ServerState } from '../../server-info.ts'
import { serverTags } from '../../tags.ts'
import { launchToken } from '../../tokens.ts'
import { plainService } from '../fixtures.ts'
import type { ServicesSubject } from './subject.ts'

export type Services = Readonly<Record<string, ServiceLaunch>>

const patience = 40_000

/** What the tests of services work with. */
export class ServicesBench {
  readonly subject: ServicesSubject

  constructor(subject: ServicesSubject) {
    this.subject = subject
  }

  get provider() {
    return this.subject.provider
  }

  shell(script: string, besides: Partial<ServiceLaunch> = {}): ServiceLaunch {
    return plainService(this.subject.image, { command: ['sh', '-c', script], stopGraceSeconds: 1, ...besides })
  }

  launch(services: Services): Promise<ServerInfo> {
    const { owner, world } = this.subject
    const serverId = newId(world, 'srv')
    const source: LaunchSource = { type: 'services', kind: 'deployment', services }
    const spec = { name: 'test', source, power: 'on' as const, tags: serverTags(owner, serverId) }
    return this.provider.launch(spec, launchToken(serverId, 1), { fresh: true })
  }

  async running(services: Services): Promise<ServerInfo> {
    return this.until((await this.launch(services)).id, 'running')
  }

  until(id: string, state: ServerState): Promise<ServerInfo> {
    return this.eventually(`${id} to be ${state}`, async () => {
      const info = await this.provider.describe(id)
      return info.state === state && info
    })
  }

  async gone(id: string): Promise<void> {
    await this.provider.terminate(id)
    await this.eventually(`${id} to be gone`, () =>
      this.provider.describe(id).then(
        ({ state }) => state === 'terminated',
        () => true,
      ),
    )
  }

  async eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    const { world } = this.subject
    for (const start = world.monotonic(); ; ) {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      if (world.monotonic() - start > patience) throw new Error(`waited in vain for ${what}`)
      await world.sleep(millis(25))
    }
  }

  /** What a service printed, once it says this. */
  printed(id: string, wanted: string | RegExp, service = 'main'): Promise<string> {
    return this.eventually(`${wanted} from ${service} of ${id}`, async () => {
      let text = ''
      for await (const { line } of this.provider.logs!(id, { service })) text += `${line}\n`
      return text.match(wanted) !== null && text
    })
  }

  /** Runs a command inside, and answers what it printed and how it ended. */
  async exec(id: string, script: string, service?: string): Promise<{ readonly text: string; readonly code: number }> {
    const command = ['sh', '-c', script]
    const session = await this.provider.exec!(id, { command, ...(service !== undefined && { service }) })
    let text = ''
    for await (const { data } of session.output) text += Buffer.from(data).toString()
    return { text, code: (await session.exit).code }
  }
}
