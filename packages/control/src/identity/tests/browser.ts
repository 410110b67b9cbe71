import type { Answer, CallOptions } from '../../door/tests/shop.ts'
import type { IdentityHouse } from './house.ts'

/** A browser at the console: keeps its cookie, says where a page comes from, and shows the token that goes with the cookie. */
export class Browser {
  readonly #house: IdentityHouse
  readonly #origin: string
  cookie: string | undefined
  csrfToken: string | undefined

  constructor(house: IdentityHouse, origin = house.url) {
    this.#house = house
    this.#origin = origin
  }

  async call(method: string, path: string, { body, headers = {} }: Omit<CallOptions, 'token'> = {}): Promise<Answer> {
    const answer = await this.#house.call(method, path, {
      token: null,
      body,
      headers: {
        origin: this.#origin,
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...(this.csrfToken !== undefined && { 'stead-csrf': this.csrfToken }),
        ...headers,
      },
    })
    for (const set of answer.headers.getSetCookie()) this.#keep(set)
    if (answer.body.csrfToken !== undefined) this.csrfToken = answer.body.csrfToken
    return answer
  }

  signIn(email: string, password: string): Promise<Answer> {
    return this.call('POST', '/v1/sessions', { body: { email, password } })
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split('; ')
    this.cookie = attributes.includes('Max-Age=0') ? undefined : pair
  }
}
