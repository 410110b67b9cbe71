import { meanings, phases, transitions } from './transitions.ts'

/** docs/phases.md: what may follow what. `npm run docs` writes it, a test keeps it current. */
export function phasesPage(): string {
  const rows = phases.map(phase => {
    const next = transitions[phase].map(each => `\`${each}\``).join(', ') || 'nothing'
    return `| \`${phase}\` | ${meanings[phase]} | ${next} |`
  })
  return `# Phases of an instance

<!-- Generated from packages/control/src/instances/transitions.ts by \`npm run docs\`. Do not edit. -->

Where in its life an instance is: \`status.phase\`. Every change of a phase is one of these, whatever was seen in whatever
order; what lies further apart goes by way of what is between. [Instances](instances.md) says what leads from one to another.

| phase | what it means | what may follow |
|---|---|---|
${rows.join('\n')}
`
}
