// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
/** A text is rendered with what stands for `${…}` in it; `$${` is a literal `${`. */

/** What a reference stands for; undefined when there is no such thing. */
export type Read = (
  reference: string,
) => { readonly text: string; readonly isSecret: boolean } | { readonly problem: string }

export interface RenderedText {
  readonly text: string
  /** Whether something secret is in it. */
  readonly isSecret: boolean
  /** What is wrong with it, in words; then the text means nothing. */
  readonly problem?: string
}

/** The longest that a text may become: what it is made of may be long, and used often. */
const longest = 262_144

const piece = /\$\$\{|\$\{([^}]*)(\}?)/g

export function renderText(text: string, read: Read): RenderedText {
  if (!text.includes('${')) return { text, isSecret: false }
  let [rendered, at, isSecret] = ['', 0, false]
  for (const match of text.matchAll(piece)) {
    rendered += text.slice(at, match.index)
    at = match.index + match[0].length
    if (match[0] === '$${') rendered += '${'
    else {
      const found = match[2] === '' ? { problem: 'has a ${ that does not end' } : read(match[1]!)
      if ('problem' in found) return { text, isSecret: false, problem: found.problem }
      rendered += found.text
      isSecret ||= found.isSecret
    }
    if (rendered.length > longest) return { text, isSecret, problem: `becomes longer than ${longest} characters` }
  }
  return { text: rendered + text.slice(at), isSecret }
}

/** Everything that a text refers to. */
export const referencesIn = (text: string): readonly string[] =>
  [...text.matchAll(piece)].flatMap(([, reference]) => (reference === undefined ? [] : [reference]))
