import { sessionLifetime } from './model.ts'

/** How the session's cookie is set and found. */
export class SessionCookie {
  readonly #name: string
  readonly #attributes: string

  /** Over TLS the name itself makes browsers refuse a cookie that another host or path has set. */
  constructor({ isSecure }: { readonly isSecure: boolean }) {
    this.#name = isSecure ? '__Host-stead-session' : 'stead-session'
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  set(text: string): string {
    return `${this.#name}=${text}; Max-Age=${sessionLifetime / 1_000}${this.#attributes}`
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0${this.#attributes}`
  }

  read(header: string | undefined): string | undefined {
    return readCookie(header, this.#name)
  }
}

/** The value of one cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const found = header?.split(';').find(pair => pair.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}
