import type { NodeProgram } from '@stead/engine/simulation'
import { createToken, isProviderError, type LaunchSpec, ownTags } from '@stead/provider-kit'
import { type Duration, millis, seconds } from '@stead/world'
import { limitsOf } from '../../quotas/limits.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import type { ControlStage, Desk, Told } from '../../simulation/index.ts'
import { type Effect, type Instance, instances } from '../model.ts'
import { covers } from '../plan.ts'
import { type Ask, adoption, agreed, askFor, isSameAnswer, limiting, onceMore, prying } from './asks.ts'
import type { ConsentWatch } from './consent-watch.ts'
import { type Life, type Limiting, organizationOf, organizations, type Plan, type Step } from './plan.ts'
import { makeSecret, rotate } from './secret.ts'
import { settle } from './tenants.ts'
import type { InstanceInvariant } from './watchman.ts'

export interface Outside extends ControlStage<InstanceInvariant> {
  /** The front door of a node. */
  readonly deskOf: (program: NodeProgram) => Pick<Desk, 'ask'>
  readonly consents: ConsentWatch
}

/** Lets every tenant live its lives, and has all of them see to it that what they want is so in the end. */
export async function runUsers(outside: Outside, { lives, limits }: Plan): Promise<void> {
  const start = await settle(outside)
  const first = limits.filter(({ after }) => after === 0)
  for (const each of first) await new User(outside, 'operator', start).limits(each)
  const later = limits.filter(({ after }) => after > 0)
  await Promise.all([
    ...lives.map(life => live(outside, life, start)),
    ...later.map(async limiting => {
      await outside.world.sleep(millis(limiting.after))
      await new User(outside, 'operator', start).limits(limiting)
    }),
  ])
}

async function live(outside: Outside, life: Life, start: number): Promise<void> {
  const user = new User(outside, life.name, start)
  for (const [number, step] of life.steps.entries()) {
    await outside.world.sleep(millis(step.after))
    await user.takes(life, number)
  }
  await user.seesToIt(life)
}

/** Who is refused for want of room asks for more after this. */
const patience: Duration = seconds(8)

/** Refusals that time cures. */
const passing = new Set(['operation_in_progress', 'not_ready', 'invalid_state', 'conflict', 'unavailable'])

/** What a refusal means to who is refused: that it is over, or that it passes. */
type Meaning = (told: Told) => 'end' | 'wait' | undefined

/** Refused because it costs more than was agreed to. Whoever is told what it costs agrees to that, and to no more. */
const isToBeAgreed = ({ query }: Ask, { body }: Told): boolean =>
  body.code === 'replacement_required' && !covers((query?.allow ?? 'restart') as Effect, body.plan.effect)

/** Somebody outside, who knows what they were told. */
export class User {
  readonly #outside: Outside
  readonly #who: string
  #known: number

  constructor(outside: Outside, who: string, known: number) {
    this.#outside = outside
    this.#who = who
    this.#known = known
  }

  /** Takes one step of a life: asks for it until it is accepted. */
  async takes(life: Life, number: number): Promise<void> {
    const step = life.steps[number]!
    if (step.type === 'pry') return this.#pry(life, step)
    if (step.type === 'adopt') return this.#adopt(life, step)
    if (step.type === 'rotate')
      return this.#writes(step.type, ({ engine }) =>
        rotate({ world: this.#outside.world, life }, engine.cache.platform(), step.version),
      )
    if (step.type === 'create' && life.source === 'services')
      await this.#writes('secret', () => makeSecret({ world: this.#outside.world, life }))
    const ask = askFor(life, number)
    if (!ask) return
    await this.insists(step.type, ask, ({ status }) => {
      const isOver = (step.type === 'delete' && status === 404) || (step.type === 'restart' && status === 409)
      return isOver ? 'end' : undefined
    })
  }

  /** What was given up is tried again until it is so: somebody wants it. */
  async seesToIt(life: Life): Promise<void> {
    const { ledger } = this.#outside
    for (let tries = 0; ; ) {
      const instance = known<Instance>(ledger, instances).find(({ name }) => name === life.name)
      if (!instance?.status.change || instance.deletedAt !== undefined) return
      const isGivenUp = instance.status.change.failed === true
      if (isGivenUp) await this.insists('see to it', onceMore(life))
      await this.#outside.world.sleep(seconds(isGivenUp ? ++tries : 1))
    }
  }

  async limits({ place, limits }: Limiting): Promise<void> {
    await this.insists('limit', limiting(place, organizations.includes(place), limits))
  }

  /** Sends until it is answered in a way that stands. What else an answer means, whoever asks may say. */
  async insists(what: string, ask: Ask, means: Meaning = () => undefined): Promise<Told> {
    const { world, trace } = this.#outside
    let refusedSince: number | undefined
    let sent = ask
    for (;;) {
      const told = await this.#asks(sent)
      const { status, body } = told
      trace.add(this.#who, `${what}: ${status} ${body?.code ?? ''} at ${told.revision}`)
      if (status < 300) {
        await this.#asksAgain(sent, told)
        return told
      }
      if (isToBeAgreed(sent, told)) {
        sent = { ...sent, ...agreed(body.plan.effect) }
        continue
      }
      const meaning = means(told) ?? (passing.has(body.code) ? 'wait' : undefined)
      if (meaning === 'end') return told
      if (body.code === 'quota_exceeded') {
        refusedSince ??= world.time
        if (world.time - refusedSince > patience) await this.#getsMore(sent, body)
        await world.sleep(seconds(1))
      } else if (meaning === undefined) {
        this.#complain('no bug surfaces', `${what} is answered ${status} ${JSON.stringify(body)}`)
        return told
      }
      await world.sleep(millis(500 + 500 * world.chance.next()))
    }
  }

  async #asks(ask: Ask): Promise<Told> {
    const { requests, deskOf, consents } = this.#outside
    const about = { who: this.#who, known: this.#known }
    const traceparent = consents.sends(ask.query?.allow)
    const told = await requests.untilServed({
      who: this.#who,
      serve: (program, signal) => deskOf(program).ask({ ...ask, known: about.known, traceparent }, signal),
    })
    requests.mustKnow(about, told.revision)
    this.#known = Math.max(this.#known, told.revision)
    return told
  }

  /** A request with a key has its effect once, and whoever sends it again is told the same. */
  async #asksAgain(ask: Ask, { body }: Told): Promise<void> {
    const isKeyed = ask.key !== undefined && this.#outside.world.chance.next() < 0.3
    if (!isKeyed) return
    const again = await this.#asks(ask)
    if (again.status >= 500) return
    const isSame = again.status < 300 && isSameAnswer(again.body, body)
    if (!isSame) this.#complain('I10 same key, same operation', `${ask.route}: ${JSON.stringify([body, again.body])}`)
  }

  /** Nobody is kept waiting for ever by a limit: an operator gives what is asked for. */
  async #getsMore({ params }: Ask, body: Told['body']): Promise<void> {
    const { level, kind, used, asked } = body
    const isOrganization = level === 'organization'
    const organization = organizationOf(params.project!)
    const place = isOrganization ? organization : params.project!
    const payer = { organization, ...(!isOrganization && { project: place }) }
    const more = (program: NodeProgram) => ({
      ...limitsOf(program.engine.cache.platform(), payer),
      [kind]: used + asked,
    })
    const { requests, deskOf } = this.#outside
    await requests.untilServed({
      who: 'operator',
      serve: (program, signal) =>
        deskOf(program).ask({ ...limiting(place, isOrganization, more(program)), known: this.#known }, signal),
    })
  }

  /** Of another tenant of the same organization, or of another organization. */
  async #pry(life: Life, { way }: Extract<Step, { type: 'pry' }>): Promise<void> {
    const others = known<Instance>(this.#outside.ledger, instances).filter(({ projectId }) => projectId !== life.tenant)
    const other = others[this.#outside.world.chance.below(others.length)]
    if (!other) return
    const told = await this.#asks(prying(life, way, { project: other.projectId!, id: other.id }))
    if (told.status === 404 || told.status >= 500) return
    this.#complain('I8 nobody sees what is another’s', `${life.tenant} was answered ${JSON.stringify(told)}`)
  }

  /** What is gone before it could be adopted is made once more, as whoever made it would. */
  async #adopt(life: Life, { rival }: Extract<Step, { type: 'adopt' }>): Promise<void> {
    const { cloud } = this.#outside
    for (let attempt = 0; ; attempt++) {
      const key = `${life.name}/adopt/${attempt}`
      const backendId = await this.#plant(life, key)
      const isThere = () => liveIn(cloud).some(({ id }) => id === backendId)
      const rivalling = rival ? this.#rival(life, { backendId, key }) : undefined
      const told = await this.insists('adopt', adoption(life, { backendId, key }), ({ status, body }) => {
        if (status === 404) return isThere() ? 'wait' : 'end'
        // An earlier one that was taken for lost has come late, and was still first.
        return body.code === 'name_taken' && attempt > 0 ? 'end' : undefined
      })
      await rivalling
      if (told.status !== 404) return
    }
  }

  /** Somebody else of the same project wants the same, under another name. One of the two may have it; they let go of it. */
  async #rival(life: Life, { backendId, key }: { readonly backendId: string; readonly key: string }): Promise<void> {
    const rival = { ...life, name: `${life.name}-rival`, steps: [{ type: 'delete', after: 0 }] } as const
    const user = new User(this.#outside, rival.name, this.#known)
    const ask = adoption(rival, { backendId, key: `${key}/rival` })
    // Whoever gives up at a limit has an earlier one come late, once there is room, and nobody to let go of it.
    const told = await user.insists('adopt', ask, ({ status, body }) =>
      status < 500 && body.code !== 'quota_exceeded' ? 'end' : undefined,
    )
    if (told.status < 300) await user.takes(rival, 0)
  }

  /** Somebody makes a machine there, as soon as there is room, and says whose it is to be. */
  async #plant({ tenant }: Life, key: string): Promise<string> {
    const { cloud, world } = this.#outside
    const name = `planted-${key.replaceAll('/', '-')}`
    const tags = { Name: 'handmade', [ownTags.projectId]: tenant }
    const spec: LaunchSpec = { name, power: 'on', source: { type: 'machine', flavor: 'small', image: 'minimal' }, tags }
    for (;;) {
      try {
        return cloud.account().launch({ spec, tags, name, token: createToken(name), fingerprint: '' }).id
      } catch (error) {
        if (!isProviderError(error, 'Quota', 'Capacity')) throw error
        await world.sleep(seconds(1))
      }
    }
  }

  async #writes(what: string, changes: Parameters<ControlStage['requests']['insist']>[0]['changes']): Promise<void> {
    this.#known = await this.#outside.requests.insist({
      ...{ who: this.#who, what, known: this.#known, changes },
      isDone: conflict => conflict.type === 'absent',
    })
  }

  #complain(invariant: InstanceInvariant | 'no bug surfaces', detail: string): void {
    this.#outside.violations.add(invariant, `${this.#who}: ${detail}`)
  }
}
