import { type Contexts, contextFile, readContexts, writeContexts } from '../client/context-file.ts'
import { Output } from '../client/output.ts'
import { StartError } from '../exit-codes.ts'

/** `stead contexts [use|remove <name>]`. Tokens are never shown. */
export function contextsCommand(verb: string | undefined, name: string | undefined, flags: { json?: boolean }): void {
  const out = new Output(process, process.env, flags.json ?? false)
  const file = contextFile(process.env)
  const known = readContexts(file)
  if (verb === undefined) list(out, known)
  else if (verb === 'use') {
    writeContexts(file, { ...known, current: existing(known, name) })
    out.result(`${name} is used from now on`, { current: name })
  } else if (verb === 'remove') {
    const { [existing(known, name)]: _removed, ...contexts } = known.contexts
    writeContexts(file, { current: known.current === name ? undefined : known.current, contexts })
    out.result(`${name} is forgotten; its token is still valid until it ends or is revoked`, { removed: name })
  } else throw new StartError('usage', `\`stead contexts\` knows use and remove, not ${verb}`)
}

function existing({ contexts }: Contexts, name: string | undefined): string {
  if (name !== undefined && Object.hasOwn(contexts, name)) return name
  throw new StartError('usage', name === undefined ? 'say which context' : `there is no context ${name}`)
}

function list(out: Output, { current, contexts }: Contexts): void {
  const shown = Object.entries(contexts).map(([name, { url, project }]) => ({
    name,
    url,
    project,
    current: name === current,
  }))
  if (out.isJson) out.json(shown)
  else if (shown.length === 0) out.note('there are no contexts; `stead login` makes one')
  else
    out.table(
      [
        { head: '  NAME', show: ({ name, current }) => `${current ? '*' : ' '} ${name}` },
        { head: 'URL', show: ({ url }) => url },
        { head: 'PROJECT', show: ({ project }) => project },
      ],
      shown,
    )
}
