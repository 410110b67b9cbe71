import type { Output } from '../output.ts'
import type { Step } from './steps.ts'

const words = { disk: 'its disk', addresses: 'its addresses', localState: 'what it keeps in memory and on disk' }

const listed = (things: readonly string[]): string =>
  things.map(each => words[each as keyof typeof words] ?? each).join(', ')

/** What a plan says that it costs, in words; nothing where it costs nothing. */
export function costOf({ loses, keeps = [], interrupts }: Pick<Step, 'loses' | 'keeps' | 'interrupts'>): string {
  const parts = [
    ...(loses.length > 0 ? [`loses ${listed(loses)}`] : []),
    ...(keeps.length > 0 ? [`keeps ${listed(keeps)}`] : []),
    ...(interrupts ? ['does not serve meanwhile'] : []),
  ]
  return parts.join('; ')
}

/** Says what would be done: a line for each thing, and beneath it what changes. */
export function showSteps(out: Output, steps: readonly Step[]): void {
  const { paint } = out
  for (const { action, kind, name, changes, effect, ...step } of steps) {
    const what = `${kind.kind} ${name}`
    const cost = costOf(step)
    if (action === 'create') out.line(paint.green(`+ ${what}`))
    if (action === 'delete') out.line(paint.red(`- ${what}${cost && `: ${cost}`}`))
    if (action === 'change') out.line(paint.yellow(`~ ${what}${effect ? ` (${effect})` : ''}${cost && `: ${cost}`}`))
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
  steps: steps.map(({ action, kind, name, changes, effect, loses, keeps, interrupts }) => ({
    ...{ action, kind: kind.kind, name, changes, loses },
    ...(effect && { effect, keeps, interrupts }),
  })),
})
