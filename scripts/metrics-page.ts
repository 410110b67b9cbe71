/** Where the part of docs/metrics.md begins that is generated. */
const begin = '<!-- Generated from here on, by `npm run docs`, from what a running Stead shows. -->'

/** The page with the list of metrics that an exposition (OpenMetrics text) shows. */
export function metricsPage(page: string, exposition: string): string {
  const written = page.split(begin, 1)[0]!
  return `${written}${begin}\n\n${tableOf(exposition)}\n`
}

/** A family has one line, with the labels of its series; of one that has none yet, they are not known. */
function tableOf(exposition: string): string {
  const rows = [...exposition.matchAll(/^# TYPE (\S+) (\S+)\n(?:# UNIT .*\n)?# HELP \S+ (.*)$/gm)].map(
    ([, name, type, help]) => `| \`${name}${type === 'counter' ? '_total' : ''}\` | ${type} | ${help} |`,
  )
  return ['| name | type | what |', '|---|---|---|', ...rows.sort()].join('\n')
}
