import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Reading, type ReadingName, type Readings, readingNames, rounded } from './reading.ts'

/** What was measured of an instance at a moment, in milliseconds since the epoch. */
export interface Point {
  readonly at: number
  readonly readings: Readings
}

/** By service and name, one value for each moment. Columns of nothing but null are left out. */
interface Columns {
  readonly at: readonly number[]
  readonly of: Readonly<Record<string, Partial<Record<ReadingName, readonly (number | null)[]>>>>
}

/** Columns compress well, since what is measured changes little: about 25 bytes a point with eight values each. */
export function pack(points: readonly Point[]): string {
  const services = [...new Set(points.flatMap(({ readings }) => Object.keys(readings)))]
  const column = (service: string, name: ReadingName) => points.map(({ readings }) => readings[service]?.[name] ?? null)
  const columns: Columns = {
    at: points.map(({ at }, index) => (index === 0 ? at : at - points[index - 1]!.at)),
    of: Object.fromEntries(
      services.map(service => [
        service,
        Object.fromEntries(
          readingNames
            .map(name => [name, column(service, name)] as const)
            .filter(([, values]) => values.some(value => value !== null)),
        ),
      ]),
    ),
  }
  return deflateRawSync(JSON.stringify(columns)).toString('base64')
}

export function unpack(data: string): readonly Point[] {
  const { at: differences, of } = JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString()) as Columns
  let moment = 0
  return differences.map((difference, index) => {
    moment += difference
    const readings = Object.entries(of).flatMap(([service, columns]) => {
      const reading = Object.fromEntries(readingNames.map(name => [name, columns[name]?.[index] ?? null]))
      // A service that was not there then was not measured.
      return service === '' || readingNames.some(name => reading[name] !== null) ? [[service, reading as Reading]] : []
    })
    return { at: moment, readings: Object.fromEntries(readings) }
  })
}

/** One point for each step in which there was any: the mean of what was known in it. */
export function coarser(points: readonly Point[], step: number): readonly Point[] {
  const steps = Map.groupBy(points, ({ at }) => Math.floor(at / step) * step)
  return [...steps].sort(([a], [b]) => a - b).map(([at, among]) => ({ at, readings: meanOf(among) }))
}

function meanOf(points: readonly Point[]): Readings {
  const services = new Set(points.flatMap(({ readings }) => Object.keys(readings)))
  return Object.fromEntries(
    [...services].map(service => {
      const mean = (name: ReadingName) => {
        const known = points.map(({ readings }) => readings[service]?.[name] ?? null).filter(value => value !== null)
        return known.length === 0 ? null : rounded(known.reduce((sum, value) => sum + value, 0) / known.length)
      }
      return [service, Object.fromEntries(readingNames.map(name => [name, mean(name)])) as Reading]
    }),
  )
}
