import { type ServerState, serverStates } from './server-info.ts'

/** A backend's own words for the states of a server, each with the neutral one it means. */
export interface StateTable<Word extends string> {
  readonly rows: Readonly<Record<Word, ServerState>>
  /** A word that is not in the table is `unknown`: a new state of the backend must not pass for one we understand. */
  read(word: string | undefined): ServerState
  /** The backend's words for these states, for a filter that the backend applies itself. */
  words(states: readonly ServerState[]): Word[]
}

export function stateTable<Word extends string>(rows: Readonly<Record<Word, ServerState>>): StateTable<Word> {
  const byWord = new Map(Object.entries(rows)) as Map<string, ServerState>
  return {
    rows,
    read: word => (word === undefined ? 'unknown' : (byWord.get(word) ?? 'unknown')),
    words: states => [...byWord].filter(([, state]) => states.includes(state)).map(([word]) => word as Word),
  }
}

/**
 * Proves a table against the list of words the backend's documentation gives: a word without a row, a row without a word, and
 * a neutral state that nothing maps to and that was not said to be missing (`without`) are each named.
 */
export function proveTotal(
  table: StateTable<string>,
  documented: readonly string[],
  options: { readonly without?: readonly ServerState[] } = {},
): void {
  const rows = Object.keys(table.rows)
  const unreached = serverStates.filter(
    state => state !== 'unknown' && !options.without?.includes(state) && table.words([state]).length === 0,
  )
  const wrong = [
    ...documented.filter(word => !rows.includes(word)).map(word => `"${word}" has no row`),
    ...rows.filter(word => !documented.includes(word)).map(word => `"${word}" is no word of the backend`),
    ...unreached.map(state => `no word means ${state}`),
  ]
  if (wrong.length > 0) throw new Error(`the state table is not total: ${wrong.join(', ')}`)
}
