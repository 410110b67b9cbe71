import type { Floor, Report, Table } from './report.ts'

/** A report as plain text for a terminal. */
export function asText(report: Report): string {
  const blocks = [
    `${report.title}\n${'='.repeat(report.title.length)}`,
    report.facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    ...report.tables.map(tableAsText),
    tableAsText(floorTable(report.floors)),
    listAsText('Where others are better', report.losses),
    listAsText('Left out', report.omitted),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

/** The same as a page to commit. */
export function asMarkdown(report: Report): string {
  const blocks = [
    `# ${report.title}`,
    report.facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ...[...report.tables, floorTable(report.floors)].map(tableAsMarkdown),
    listAsMarkdown('Where others are better', report.losses),
    listAsMarkdown('Left out', report.omitted),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

const floorTable = (floors: readonly Floor[]): Table => ({
  title: 'Floors',
  columns: ['floor', 'bar', 'measured', ''],
  rows: floors.map(({ name, bar, measured, verdict }) => [name, bar, measured, verdict]),
})

const tableAsText = ({ title, columns: head, rows, note }: Table): string =>
  [`${title}\n${'-'.repeat(title.length)}`, columns([head, ...rows]), note].filter(Boolean).join('\n')

/** Aligned by width: words to the left, numbers to the right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  const align = (cell: string, index: number) =>
    /^[≥≤]?\s?\d/.test(cell) ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)
  return rows.map(row => row.map(align).join('  ').trimEnd()).join('\n')
}

const tableAsMarkdown = ({ title, columns: head, rows, note }: Table): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
  return [`## ${title}`, table, note].filter(Boolean).join('\n\n')
}

const listAsText = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `${title}\n${'-'.repeat(title.length)}\n${items.map(item => `- ${item}`).join('\n')}`

const listAsMarkdown = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `## ${title}\n\n${items.map(item => `- ${item}`).join('\n')}`
