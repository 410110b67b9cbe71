/** Measurements of something over a stretch of time, packed by whoever writes them. */
export interface SeriesPiece {
  /** What was measured, usually an object id. */
  readonly subject: string
  /** How finely: pieces of one track are read, and forgotten, together. */
  readonly track: string
  /** When it begins, in milliseconds since the epoch. */
  readonly start: number
  readonly data: string
}

export interface SeriesQuery {
  readonly subjects: readonly string[]
  readonly track: string
  /** Pieces that begin at this moment or later … */
  readonly from: number
  /** … and before this one. */
  readonly before: number
}

/**
 * Measurements. Like marks: last write wins, no log, no cache, no durability promise beyond the next few seconds. Nobody's
 * commit waits for them.
 */
export interface Series {
  /** Replaces pieces with the same subject, track and start. */
  put(pieces: readonly SeriesPiece[]): Promise<void>
  /** By subject, and then by start. */
  read(query: SeriesQuery): Promise<readonly SeriesPiece[]>
  /** What there are pieces of, after this one, in order. */
  subjects(page: { readonly after: string; readonly limit: number }): Promise<readonly string[]>
  /** Forgets everything of these. */
  remove(subjects: readonly string[]): Promise<void>
  /** Removes pieces of a track that begin before this moment, at most `limit`; answers how many. */
  expire(request: { readonly track: string; readonly before: number; readonly limit: number }): Promise<number>
}
