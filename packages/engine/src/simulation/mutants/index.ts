import type { Mutant } from './mutant.ts'
import { readingMutants } from './reading.ts'
import { workingMutants } from './working.ts'
import { writingMutants } from './writing.ts'

export const mutants: readonly Mutant[] = [...writingMutants, ...readingMutants, ...workingMutants]
