// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by the house
import type { SimulatedCloud } from '@stead/provider-kit/simulated'
import { resetAdminToken } from '../../identity/first-start/reset-token.ts'
import type { IdentityHouse } from '../../identity/tests/house.ts'
import { plant } from '../../instances/adopting/tests/plant.ts'
import { secretKey } from '../../regions/tests/region-house.ts'
import type { Fuzz } from './fuzz.ts'
import type { Caller } from './requests.ts'

interface Account extends Caller {
  readonly principal: string
  /** Of its token. */
  readonly path: string
}

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

/** After so many requests little is left of what they are about: the ground is laid anew. */
const lifetime = 500

/** Sends so many requests as several callers of two tenants, who are made again and again. */
export async function fuzzTenants(
  fuzz: Fuzz,
  house: IdentityHouse,
  { requests, cloud }: { readonly requests: number; readonly cloud: SimulatedCloud },
): Promise<void> {
  for (let round = 0; fuzz.sent < requests; round++) {
    await new Ground(fuzz, house, round).lay(await plant(cloud, {}))
    await fuzz.run(Math.min(lifetime, requests - fuzz.sent))
  }
}

/** Two tenants with everything that requests can be about, made by requests. */
class Ground {
  readonly #fuzz: Fuzz
  readonly #house: IdentityHouse
  readonly #suffix: string
  #admin: Caller

  constructor(fuzz: Fuzz, house: IdentityHouse, round: number) {
    this.#fuzz = fuzz
    this.#house = house
    this.#suffix = `${round}-${fuzz.chance.word(4)}`
    this.#admin = this.#bearer('admin', house.admin)
  }

  /** `found` is in the cloud, and of nobody. */
  async lay(found: string): Promise<void> {
    const { chance } = this.#fuzz
    await this.#admit()
    const [acme, globex] = [`acme-${this.#suffix}`, `globex-${this.#suffix}`]
    for (const [organization, project] of [
      [globex, 'main'],
      [acme, 'lab'],
      [acme, 'shop'],
    ] as const) {
      await this.#ask('POST', '/v1/organizations', { name: organization })
      await this.#ask('POST', `/v1/organizations/${organization}/projects`, { name: project })
    }
    const stranger = await this.#account(globex, { role: 'org-admin' })
    const admin = await this.#account(acme, { role: 'org-admin' })
    const developer = await this.#account(acme, { role: 'developer', project: 'shop' })
    const auditor = await this.#account(acme, { role: 'auditor' })
    const person = await this.#person(acme)
    this.#fuzz.secrets.add(secretKey, 'the key of a region')
    const spec = { provider: 'simulated', credentials: { key: secretKey } }
    for (const name of ['here', 'unused'])
      await this.#ask('POST', '/v1/regions', { name: `${name}-${this.#suffix}`, spec })
    // All others are in use for as long as something is there.
    await this.#ask('DELETE', `/v1/regions/unused-${this.#suffix}`)
    await this.#furnish(`/v1/projects/${acme}%2Fshop`)
    const machine = { flavor: 'small', image: 'minimal', userData: '#cloud-config', sshAuthority: 'ours' }
    const secrets = [{ name: 'password', env: 'PASSWORD', onRotate: 'restart' }]
    const services = { services: { web: { image: 'host', env: { KEY: '${var.key}' }, secrets } } }
    const key = chance.word(24)
    this.#fuzz.secrets.add(key, 'the value of a variable')
    const values = { variables: [{ name: 'key', type: 'secret' }], variableValues: { key } }
    for (const [name, source] of Object.entries({ 'vm-1': { machine }, 'web-1': { services } }))
      await this.#ask('POST', `/v1/projects/${acme}%2Fshop/instances`, { name, spec: { source, ...values } })
    const vm = `/v1/projects/${acme}%2Fshop/instances/vm-1`
    // Nobody is let into what is not there yet.
    await this.#house.must(200, 'GET', `${vm}/wait?phase=running&timeout=25s`)
    await this.#ask('POST', `${vm}/ssh-key`, { publicKey })
    const adopted = { region: `here-${this.#suffix}`, backendId: found, name: 'old-1' }
    for (const plan of [true, false])
      await this.#ask('POST', `/v1/projects/${acme}%2Fshop/instances/adopt`, { ...adopted, plan })
    await this.#ask('POST', '/v1/grants', { principal: await this.#robot(), role: 'auditor' })
    const revoked = await this.#account(acme, { role: 'org-admin' })
    await this.#ask('DELETE', revoked.path)
    await this.#ask('POST', `/v1/organizations/${acme}/roles`, {
      name: 'looker',
      spec: { permissions: ['projects:read'] },
    })
    await this.#ask('POST', `/v1/projects/${acme}%2Fshop/grants`, { principal: developer.principal, role: 'operator' })
    await this.#ask('GET', `/v1/organizations/${acme}/users`)
    const nonsense = `stead_${chance.word(64)}`
    this.#fuzz.secrets.add(nonsense, 'a token that was sent')
    const both = { name: 'person with a token', headers: { ...person.headers, ...admin.headers } }
    const strangers = [stranger, revoked, this.#bearer('nonsense', nonsense), this.#from('nobody', {}), both]
    // Who may most is refused least, and so gets furthest.
    const often = (times: number, caller: Caller) => Array.from({ length: times }, () => caller)
    this.#fuzz.callers = [
      ...often(14, this.#admin),
      ...often(5, admin),
      ...often(4, person),
      developer,
      auditor,
      ...strangers,
    ]
  }

  /** What instances of a project are attached to, and told. */
  async #furnish(project: string): Promise<void> {
    const network = { region: `here-${this.#suffix}`, cidr: '10.20.0.0/24' }
    await this.#ask('POST', `${project}/networks`, { name: 'n1', spec: network })
    const rules = [{ direction: 'ingress', protocol: 'tcp', port: 22, cidr: '0.0.0.0/0' }]
    await this.#ask('POST', `${project}/security-groups`, { name: 'web', spec: { network: 'n1', rules } })
    await this.#ask('POST', `${project}/ssh-authorities`, { name: 'ours', spec: { managed: true } })
    const [first, second] = [this.#fuzz.chance.word(24), this.#fuzz.chance.word(24)]
    for (const value of [first, second]) this.#fuzz.secrets.add(value, 'the value of a secret')
    await this.#ask('POST', `${project}/secrets`, { name: 'password', spec: { value: first } })
    await this.#ask('POST', `${project}/secrets/password/versions`, { value: second })
    await this.#ask('GET', `${project}/secrets/password/versions/1/value`)
    await this.#ask('DELETE', `${project}/secrets/password/versions/1`)
    await this.#ask('POST', `${project}/webhooks`, { name: 'chat', spec: { url: 'https://hooks.example/in' } })
  }

  /** Whoever has the machine has the house: what fuzzing has done to the admin is undone as on the machine itself. */
  async #admit(): Promise<void> {
    const { engine, world } = this.#house
    this.#fuzz.secrets.add(this.#house.admin, 'the admin token')
    if (
      (await this.#fuzz.ask(this.#admin, 'POST', '/v1/organizations', { name: `try-${this.#suffix}` })).status === 201
    )
      return
    const everything = engine.cache.platform()
    this.#house.admin = await resetAdminToken({ everything, world, commit: set => engine.commit(set) })
    this.#fuzz.secrets.add(this.#house.admin, 'the admin token')
    this.#admin = this.#bearer('admin', this.#house.admin)
  }

  async #account(organization: string, grant: { role: string; project?: string }): Promise<Account> {
    const name = `${grant.role}-${this.#fuzz.chance.word(5)}`
    const accounts = `/v1/organizations/${organization}/service-accounts`
    const { metadata } = await this.#ask('POST', accounts, { name })
    await this.#ask('POST', `/v1/organizations/${organization}/grants`, { principal: metadata.id, ...grant })
    const { token, metadata: made } = await this.#ask('POST', `${accounts}/${name}/tokens`, { expiresIn: '24h' })
    return { ...this.#bearer(name, token), principal: metadata.id, path: `${accounts}/${name}/tokens/${made.id}` }
  }

  /** Somebody who was invited, has chosen a password, and is at the console. */
  async #person(organization: string): Promise<Caller> {
    const { chance, secrets } = this.#fuzz
    const email = `${chance.word()}@example.com`
    const passwords = [chance.word(20), chance.word(20)] as const
    for (const password of passwords) secrets.add(password, 'a password')
    const [current, changed] = passwords
    const invite = (role: string) => this.#ask('POST', `/v1/organizations/${organization}/invitations`, { email, role })
    const anybody = this.#from('nobody', {})
    await this.#fuzz.ask(anybody, 'POST', '/v1/invitations/accept', {
      token: (await invite('org-admin')).token,
      password: current,
    })
    const { cookies, csrfToken } = await this.#fuzz.ask(anybody, 'POST', '/v1/sessions', { email, password: current })
    const cookie = /^[^;]*/.exec(cookies[0])![0]
    const person = this.#from('person', { cookie, origin: this.#house.url, 'stead-csrf': csrfToken })
    await this.#fuzz.ask(person, 'POST', '/v1/me/invitations', { token: (await invite('auditor')).token })
    await this.#fuzz.ask(person, 'POST', '/v1/me/tokens', { expiresIn: '24h' })
    await this.#fuzz.ask(person, 'POST', '/v1/me/password', { current, new: changed })
    return person
  }

  /** An account of the platform itself. */
  async #robot(): Promise<string> {
    const name = `robot-${this.#suffix}`
    const { metadata } = await this.#ask('POST', '/v1/service-accounts', { name })
    await this.#ask('POST', `/v1/service-accounts/${name}/tokens`, { expiresIn: '24h' })
    return metadata.id
  }

  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is answered
  #ask(method: string, path: string, value?: unknown): Promise<any> {
    return this.#fuzz.ask(this.#admin, method, path, value)
  }

  #bearer(name: string, token: string): Caller {
    return this.#from(name, { authorization: `Bearer ${token}` })
  }

  /** Each from an address of its own: else one limit on passwords would end them all. */
  #from(name: string, headers: Caller['headers']): Caller {
    const { chance } = this.#fuzz
    return { name, headers: { ...headers, 'x-forwarded-for': `10.${chance.below(256)}.${chance.below(256)}.1` } }
  }
}
