import { type CatalogueEntry, catalogue } from './catalogue.ts'

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue)

/** docs/errors.md: every code, what it means, what to do. `npm run docs` writes it, a test keeps it current. */
export function errorsPage(): string {
  const rows = entries.map(([code, { status, title }]) => `| [\`${code}\`](#${code}) | ${status} | ${title} |`)
  const sections = entries.map(
    ([code, { status, title, meaning, suggestion }]) =>
      `## ${code}\n\n\`${status}\` ${title}. ${meaning}\n\n**What to do:** ${suggestion}.\n`,
  )
  return `# Errors

<!-- Generated from packages/control/src/errors/catalogue.ts by \`npm run docs\`. Do not edit. -->

Every refusal is an RFC 9457 problem, \`application/problem+json\`:

\`\`\`json
{
  "type": "/docs/errors/name_taken",
  "title": "Name taken",
  "status": 409,
  "code": "name_taken",
  "detail": "an instance named \\"web-1\\" exists in project shop",
  "suggestion": "choose another name, or delete the existing one first",
  "errors": [{ "path": "/name", "message": "is taken" }],
  "traceId": "4bf92f3577b34da6a3ce929d0e0e4736"
}
\`\`\`

Programs compare \`code\`; \`detail\` is for people and may change. \`errors\` names each field that is wrong by JSON
pointer into the body; a query parameter is \`?name\`, a path parameter \`:name\`, a header its name. Some codes add
members of their own. Quote the \`traceId\` when you report a problem: it finds the request in the log.

| code | status | title |
|---|---|---|
${rows.join('\n')}

${sections.join('\n')}`
}
