/** What one run of a measurement gave, by name. */
export type Sample = Readonly<Record<string, number>>

/** One thing that is measured, once per round. */
export interface Measurement {
  readonly name: string
  run(): Promise<Sample>
}

/** All samples of a run, in the order of its rounds. */
export class Samples {
  readonly #byName = new Map<string, Sample[]>()

  add(name: string, sample: Sample): void {
    const samples = this.#byName.get(name)
    if (samples) samples.push(sample)
    else this.#byName.set(name, [sample])
  }

  /** One number of a measurement, round by round. */
  of(name: string, field: string): number[] {
    const samples = this.#byName.get(name)
    if (!samples) throw new Error(`${name} was not measured`)
    return samples.map(sample => {
      const value = sample[field]
      if (value === undefined) throw new Error(`${name} has no ${field}`)
      return value
    })
  }

  toJSON(): Record<string, readonly Sample[]> {
    return Object.fromEntries(this.#byName)
  }
}

/**
 * Measures everything in turns: A B C, A B C, … A machine's speed drifts by the minute; done one after the other,
 * the drift would be taken for a difference between them.
 */
export async function inTurns(
  measurements: readonly Measurement[],
  rounds: number,
  onRun: (round: number, name: string) => void,
  samples = new Samples(),
): Promise<Samples> {
  for (let round = 1; round <= rounds; round++)
    for (const measurement of measurements) {
      onRun(round, measurement.name)
      samples.add(measurement.name, await measurement.run())
    }
  return samples
}
