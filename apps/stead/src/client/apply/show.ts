import type { Output } from '../output.ts'
import type { Step } from './steps.ts'

const words = { disk: 'its disk', addresses: 'its addresses', localState: 'what it keeps in memory and on disk' }

/** What a plan says is lost, in words. */
export const lostIn = (loses: Step['loses']): string =>
  loses.map(each => words[each as keyof typeof words] ?? each).join(', ')

/** Says what would be done: a line for each thing, and beneath it what changes. */
export function showSteps(out: Output, steps: readonly Step[]): void {
  const { paint } = out
  for (const { action, kind, name, changes, effect, loses } of steps) {
    const what = `${kind.kind} ${name}`
    const lost = lostIn(loses)
    if (action === 'create') out.line(paint.green(`+ ${what}`))
    if (action === 'delete') out.line(paint.red(`- ${what}${lost && `: loses ${lost}`}`))
    if (action === 'change')
      out.line(paint.yellow(`~ ${what}${effect ? ` (${effect})` : ''}${lost && `: loses ${lost}`}`))
    for (const { path, from, to } of changes) out.line(`    ${path}: ${shown(from)} → ${shown(to)}`)
  }
  const counted = (wanted: Step['action']) => steps.filter(({ action }) => action === wanted).length
  out.line(
    `${counted('create')} to create, ${counted('change')} to change, ${counted('delete')} to delete, ${counted('keep')} as they should be`,
  )
}

const longest = 60

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** The same for programs. */
export const stepsForPrograms = (steps: readonly Step[]): unknown => ({
  steps: steps.map(({ action, kind, name, changes, effect, loses }) => ({
    ...{ action, kind: kind.kind, name, changes, loses },
    ...(effect && { effect }),
  })),
})
