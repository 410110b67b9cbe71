/** Markup that is safe to send: everything put into it is escaped unless it is markup itself. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Content = Html | string | number | false | undefined | readonly Content[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const write = (content: Content): string => {
  if (content === undefined || content === false) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'object') return content.map(write).join('')
  return String(content).replaceAll(/[&<>"']/g, character => escapes[character]!)
}

export const html = (parts: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  new Html(parts.reduce((text, part, index) => text + write(contents[index - 1]) + part))

/** A text in which `this` is code, as descriptions are written. */
export const prose = (text: string | undefined): Html | undefined =>
  text === undefined
    ? undefined
    : html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2f6f4f }
@media (prefers-color-scheme: dark) { :root { --accent: #7fc8a0 } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 16rem 1fr }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line) }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem } nav li { margin: .15rem 0 }
main { padding: 1.5rem 2rem; max-width: 62rem; min-width: 0 }
a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem } h3 { font-size: .9rem; margin: 1rem 0 .25rem }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer; display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap }
code, pre { font: 13px/1.45 ui-monospace, monospace } pre { background: var(--soft); padding: .75rem; border-radius: .4rem; overflow: auto }
.method { font-weight: 700; min-width: 4rem } .soft { opacity: .75 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line) }
ul.fields { list-style: none; padding-left: 1rem; margin: .25rem 0; border-left: 1px solid var(--line) }
@media (max-width: 50rem) {
  body { display: block; overflow-wrap: anywhere } nav { position: static; height: auto; border: 0; padding-bottom: 0 } main { padding: 1rem 1.5rem }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 .9rem } table, tbody, tr { display: block } tr { border-bottom: 1px solid var(--line); padding: .25rem 0 }
  td { display: inline; border: 0; padding-right: .5rem } td:last-child { display: block }
}
`

/** A page of the reference. It loads nothing but its own style sheet, from here. */
export const page = (title: string, navigation: Html, content: Html): string =>
  `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="stylesheet" href="/docs/style.css"></head><body><nav>${navigation}</nav><main>${content}</main></body></html>`
      .text
  }\n`
