// `npm run backends`: which of the real things that tests run against are here, and how to get the others.
// With --packages: only the names of the Debian packages that are missing, for .ci/run.
import { absentPackages, backendNames, missing } from '@stead/testing/backends'

if (process.argv.includes('--packages')) console.log(absentPackages().join(' '))
else
  for (const name of backendNames) {
    const why = missing(name)
    console.log(why ? `missing  ${why.reason}\n         ${why.remedy}` : `here     ${name}`)
  }
