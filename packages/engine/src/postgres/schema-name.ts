import { OpenError } from '../words/errors.ts'

/** The PostgreSQL schema that holds the store. Several stores can share a database, each in a schema of its own. */
export class SchemaName {
  readonly name: string
  private readonly texts = new Map<string, string>()

  /** Plain names only: it stands unquoted in every statement, and with a prefix in the name of a channel. */
  constructor(name: string) {
    if (!/^[a-z_][a-z0-9_]{0,47}$/.test(name) || name.startsWith('pg_'))
      throw new OpenError(
        'unwritable',
        `"${name}" cannot be the name of the schema: use lower-case letters, digits and "_", at most 48, not beginning with a digit or "pg_"`,
      )
    this.name = name
  }

  /** A statement written for the schema `stead`, for this one. */
  in(sql: string): string {
    let text = this.texts.get(sql)
    if (text === undefined) {
      text = sql.replaceAll(/\bstead\./g, `${this.name}.`)
      this.texts.set(sql, text)
    }
    return text
  }

  /** Where this store's nodes tell each other that the log has grown. */
  get channel(): string {
    return `stead_log_${this.name}`
  }
}
